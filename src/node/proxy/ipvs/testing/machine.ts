// A fake machine whose kernel has ipvs, and a proxier on it.

import { FakeIp } from "../../../../base/host/ip.fake.ts";
import { FakeNft } from "../../../../base/host/nft.fake.ts";
import { FakeSysctl } from "../../../../base/host/sysctl.fake.ts";
import { Address } from "../../../../base/net/address.ts";
import { bitsOf, type Family } from "../../../../base/net/family.ts";
import { Prefix } from "../../../../base/net/prefix.ts";
import type { FamilySettings } from "../../plan/frontend.ts";
import { addressOf, frontendsOf, openState, put, settingsOf } from "../../plan/testing/scenario.ts";
import type { ProxierSubject } from "../../testing/proxier.contract.ts";
import { FakeIpvsAdmin } from "../ipvs-admin.fake.ts";
import { canaryMark } from "../marks.ts";
import { ipvsProxier } from "../proxier.ts";

export type Objects = Parameters<typeof put>[1];

export function open(family: Family = "IPv4", machine = openMachine()) {
  const settings = settingsOf(family);
  const proxier = ipvsProxier({ ...machine, settings });
  const state = openState();
  return {
    ...machine,
    proxier,
    replace: async (objects: Objects) => {
      put(state, objects);
      state.takeChange();
      await proxier.replace(frontendsOf(state, family));
    },
    change: async (objects: Objects) => {
      put(state, objects);
      await proxier.apply(state.takeChange().deltas[family]);
    },
  };
}

/** Opens a proxier on a fake machine of its own, where the device exists already. */
export function openSubject(settings: FamilySettings): ProxierSubject {
  const machine = openMachine();
  const { admin, nft, ip } = machine;
  const name = `tandem-${settings.family.toLowerCase()}`;
  ip.shown.links = [{ index: 2, name, mtu: 1500, up: true, running: true }];
  showAddresses(machine, [addressOf("node", settings.family).toString()], "eth0");
  return {
    proxier: ipvsProxier({ ...machine, settings }),
    dump: async () => `${admin.dump}\n${nft.dump}`,
    writes: () => admin.lines.length + nft.applied.length + ip.lines.length,
    flush: () => nft.apply("flush ruleset"),
    addOthers: () => admin.restore(["-A -t 192.0.2.1:80 -s wlc", "-A -f 7 -s rr"]),
  };
}

export function openMachine() {
  const parts = { ip: new FakeIp(), nft: new FakeNft(), sysctl: new FakeSysctl() };
  return { ...parts, admin: new FakeIpvsAdmin() };
}

export const canary = `-A -f ${canaryMark} -s rr`;

export function showAddresses(
  machine: ReturnType<typeof openMachine>,
  texts: readonly string[],
  link = "tandem-ipv4",
): void {
  machine.ip.shown.addresses = texts.map((text) => {
    const address = Address.parse(text);
    const prefix = Prefix.of(address, bitsOf(address.family));
    const state = { scope: "global", tentative: false, duplicate: false };
    return { link, address, prefix, ...state };
  });
}
