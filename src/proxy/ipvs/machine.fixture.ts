// A machine whose kernel has ipvs, and a proxier on it.

import { FakeIp } from "../../host/ip.fake.ts";
import { FakeNft } from "../../host/nft.fake.ts";
import { FakeSysctl } from "../../host/sysctl.fake.ts";
import { Address } from "../../net/address.ts";
import type { Family } from "../../net/family.ts";
import { Prefix } from "../../net/prefix.ts";
import { openState, put, settingsOf } from "../plan/scenario.fixture.ts";
import { FakeIpvsAdmin } from "./ipvs-admin.fake.ts";
import { canaryMark } from "./marks.ts";
import { ipvsProxier } from "./proxier.ts";

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
      await proxier.replace([...state.tables[family].all()].map(([, frontend]) => frontend));
    },
    change: async (objects: Objects) => {
      put(state, objects);
      await proxier.apply(state.takeChange().deltas[family]);
    },
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
    const prefix = Prefix.of(address, 32);
    const state = { scope: "global", tentative: false, duplicate: false };
    return { link, address, prefix, ...state };
  });
}
