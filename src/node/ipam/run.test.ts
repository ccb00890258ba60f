import assert from "node:assert/strict";
import { test } from "node:test";
import { Plugin } from "./testing/plugin.ts";

const dual = { ipRanges: [{ range: "192.168.10.1/24" }, { range: "abcd::1/64" }] };

test("[IPAM-3] one address of every range, in order, of any family", async (t) => {
  const plugin = new Plugin(t);
  const { ips } = await plugin.call("ADD", {
    ipRanges: [...dual.ipRanges, { range: "10.7.0.0/16" }, { range: "abcd:1::/64" }],
  });
  assert.deepEqual(ips, ["192.168.10.1/24", "abcd::1/64", "10.7.0.1/16", "abcd:1::1/64"]);
});

test("[IPAM-2] range comes after ipRanges", async (t) => {
  const plugin = new Plugin(t);
  const { ips } = await plugin.call("ADD", {
    range: "abcd::1/64",
    ipRanges: [{ range: "192.168.10.1/24" }],
  });
  assert.deepEqual(ips, ["192.168.10.1/24", "abcd::1/64"]);
});

test("[IPAM-3] two ranges of one network give two addresses", async (t) => {
  const { ips } = await new Plugin(t).call("ADD", {
    ipRanges: [{ range: "10.0.0.0/24" }, { range: "10.0.0.0/24" }],
  });
  assert.deepEqual(ips, ["10.0.0.1/24", "10.0.0.2/24"]);
});

test("[IPAM-3] when one range is exhausted nothing stays reserved", async (t) => {
  const plugin = new Plugin(t);
  const tight = { ipRanges: [{ range: "10.0.0.0/24" }, { range: "fd00::8/128" }] };
  await plugin.call("ADD", tight, { container: "c1" });
  const { error, failed } = await plugin.call("ADD", tight, { container: "c2" });
  assert.equal(failed, true);
  assert.equal(error.code, 100);
  assert.match(error.msg, /fd00::8\/128 .*its one usable address is taken/);
  assert.deepEqual(await plugin.reserved(), ["10.0.0.1", "fd00::8"]);
});

test("[IPAM-5] ADD is idempotent per pod and interface, and a new container takes over", async (t) => {
  const plugin = new Plugin(t);
  const first = await plugin.call("ADD", dual, { container: "c1", pod: "a" });
  assert.deepEqual((await plugin.call("ADD", dual, { container: "c1", pod: "a" })).ips, first.ips);
  assert.deepEqual((await plugin.call("ADD", dual, { container: "c2", pod: "a" })).ips, first.ips);
  await plugin.call("DEL", dual, { container: "c1", pod: "a" });
  assert.equal((await plugin.reserved()).length, 2, "the old container has nothing to release");
  const second = await plugin.call("ADD", dual, { container: "c2", ifname: "net1", pod: "a" });
  assert.deepEqual(second.ips, ["192.168.10.2/24", "abcd::2/64"]);
  await plugin.call("DEL", dual, { container: "c2", pod: "a" });
  assert.deepEqual(await plugin.reserved(), ["192.168.10.2", "abcd::2"]);
});

test("[IPAM-5] without a pod the container is the owner", async (t) => {
  const plugin = new Plugin(t);
  const first = await plugin.call("ADD", dual, { container: "c1" });
  assert.deepEqual((await plugin.call("ADD", dual, { container: "c1" })).ips, first.ips);
  assert.notDeepEqual((await plugin.call("ADD", dual, { container: "c2" })).ips, first.ips);
});

test("[IPAM-5] DEL releases every range, whatever the configuration says by then", async (t) => {
  const plugin = new Plugin(t);
  await plugin.call("ADD", dual);
  const changed = { range: "10.1.0.0/16" };
  assert.equal((await plugin.call("DEL", changed)).failed, false);
  assert.deepEqual(await plugin.reserved(), []);
  assert.equal((await plugin.call("DEL", changed)).failed, false, "nothing there is fine");
});

test("[IPAM-5] CHECK verifies the reservations and the result", async (t) => {
  const plugin = new Plugin(t);
  assert.equal((await plugin.call("CHECK", dual)).error.code, 3);
  const { result, ips } = await plugin.call("ADD", dual);
  assert.deepEqual(
    (await plugin.call("CHECK", dual, { network: { prevResult: result } })).failed,
    false,
  );
  const other = { ips: ips.map(() => ({ address: "10.99.0.1/24" })) };
  const { error } = await plugin.call("CHECK", dual, { network: { prevResult: other } });
  assert.equal(error.code, 102);
  assert.match(error.msg, /holds 192.168.10.1 of 192.168.10.0\/24/);
});

test("[IPAM-5] GC frees what is not in the valid list, of this network alone", async (t) => {
  const plugin = new Plugin(t);
  for (const container of ["c1", "c2", "c3"]) await plugin.call("ADD", dual, { container });
  await plugin.call("ADD", dual, { container: "c4", network: { name: "other" } });
  const valid = [
    { containerID: "c1", ifname: "eth0" },
    { containerID: "c2", ifname: "net1" },
  ];
  const { failed } = await plugin.call("GC", dual, {
    network: { "cni.dev/valid-attachments": valid },
  });
  assert.equal(failed, false);
  assert.deepEqual(await plugin.reserved(), ["192.168.10.1", "192.168.10.4", "abcd::1", "abcd::4"]);
  assert.equal((await plugin.call("GC", dual)).error.code, 7, "no list is no order to free all");
});

test("[IPAM-5] STATUS reports exhaustion and an unusable store", async (t) => {
  const plugin = new Plugin(t);
  const tight = { range: "10.0.0.0/30" };
  for (const container of ["c1", "c2"]) {
    assert.equal((await plugin.call("STATUS", tight)).failed, false);
    await plugin.call("ADD", tight, { container });
  }
  const { error } = await plugin.call("STATUS", tight);
  assert.equal(error.code, 50);
  assert.match(error.msg, /10.0.0.0\/30 .*all 2 usable/);
  assert.equal(
    (await plugin.call("STATUS", { ...tight, data_dir: "/dev/null/none" })).error.code,
    50,
  );
});

test("[IPAM-5] VERSION lists what is supported", async (t) => {
  const { result } = await new Plugin(t).call("VERSION", {});
  const supportedVersions = ["0.1.0", "0.2.0", "0.3.0", "0.3.1", "0.4.0", "1.0.0", "1.1.0"];
  assert.deepEqual(result, { cniVersion: "1.1.0", supportedVersions });
});

test("results are spelled as the version says, with routes, dns and gateways", async (t) => {
  const plugin = new Plugin(t);
  const ipam = {
    ipRanges: [{ range: "10.0.0.0/24", gateway: "10.0.0.254" }, { range: "fd00::/64" }],
    routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0", gw: "fd00::9" }],
    dns: { nameservers: ["10.0.0.10"] },
  };
  const rest = { routes: ipam.routes, dns: ipam.dns };
  for (const cniVersion of ["0.3.0", "0.3.1", "0.4.0"]) {
    assert.deepEqual((await plugin.call("ADD", ipam, { network: { cniVersion } })).result, {
      cniVersion,
      ips: [
        { version: "4", address: "10.0.0.1/24", gateway: "10.0.0.254" },
        { version: "6", address: "fd00::1/64" },
      ],
      ...rest,
    });
  }
  for (const cniVersion of ["1.0.0", "1.1.0"]) {
    assert.deepEqual((await plugin.call("ADD", ipam, { network: { cniVersion } })).result, {
      cniVersion,
      ips: [{ address: "10.0.0.1/24", gateway: "10.0.0.254" }, { address: "fd00::1/64" }],
      ...rest,
    });
  }
});

test("[IPAM-9] a gateway inside the range is never handed out", async (t) => {
  const plugin = new Plugin(t);
  const ipam = { range: "10.0.0.0/29", gateway: "10.0.0.1" };
  assert.deepEqual((await plugin.call("ADD", ipam)).ips, ["10.0.0.2/29"]);
});

test("[CNI-5] addresses asked for are given, or refused with the reason", async (t) => {
  const plugin = new Plugin(t);
  const ask = (container: string, ips: string[]) =>
    plugin.call("ADD", dual, { container, network: { runtimeConfig: { ips } } });
  assert.deepEqual((await ask("c1", ["abcd::9/64", "192.168.10.7"])).ips, [
    "192.168.10.7/24",
    "abcd::9/64",
  ]);
  const { error } = await ask("c2", ["192.168.10.7/24"]);
  assert.equal(error.code, 101);
  assert.match(error.msg, /requested 192.168.10.7: it is taken/);
  assert.match(
    (await ask("c2", ["10.0.0.1"])).error.msg,
    /in none of 192.168.10.0\/24, abcd::\/64/,
  );
  assert.equal((await plugin.reserved()).length, 2);
});

test("[IPAM-1] CNI_ARGS may name addresses: of a range, or besides it", async (t) => {
  const { result } = await new Plugin(t).call("ADD", dual, {
    args: "IgnoreUnknown=1;IP=192.168.10.5,10.9.0.3/16;GATEWAY=10.9.0.1",
  });
  assert.deepEqual(result.ips, [
    { address: "192.168.10.5/24" },
    { address: "abcd::1/64" },
    { address: "10.9.0.3/16", gateway: "10.9.0.1" },
  ]);
});

test("[IPAM-11] a clock that jumps costs no address and gives none twice", async (t) => {
  const plugin = new Plugin(t);
  const sticky = { range: "10.0.0.0/30", sticky_seconds: 60 };
  const year = 365 * 24 * 3600 * 1000;
  for (const [round, jump] of [-year, 2 * year, -10 * year].entries()) {
    for (const pod of ["a", "b"]) {
      const { ips } = await plugin.call("ADD", sticky, { pod, container: `${pod}${round}` });
      assert.deepEqual(ips, [pod === "a" ? "10.0.0.1/30" : "10.0.0.2/30"]);
    }
    plugin.time += jump;
    for (const pod of ["a", "b"]) {
      await plugin.call("DEL", sticky, { container: `${pod}${round}` });
    }
  }
  const others = [
    await plugin.call("ADD", sticky, { pod: "c", container: "c" }),
    await plugin.call("ADD", sticky, { pod: "d", container: "d" }),
  ];
  assert.deepEqual(
    new Set(others.map(({ ips }) => ips[0])),
    new Set(["10.0.0.1/30", "10.0.0.2/30"]),
  );
});

test("[IPAM-11] a sticky address waits for a pod of its name, unless all others are taken", async (t) => {
  const plugin = new Plugin(t);
  const sticky = { range: "10.0.0.0/29", sticky_seconds: 60 };
  const add = async (pod: string, container: string) =>
    (await plugin.call("ADD", sticky, { pod, container })).ips[0];
  assert.equal(await add("db-0", "c1"), "10.0.0.1/29");
  assert.equal(await add("db-1", "c2"), "10.0.0.2/29");
  await plugin.call("DEL", sticky, { container: "c1" });
  plugin.time += 1000;
  await plugin.call("DEL", sticky, { container: "c2" });
  assert.equal(await add("web", "c3"), "10.0.0.3/29");
  assert.equal(await add("db-1", "c4"), "10.0.0.2/29", "the same again");
  for (const container of ["c5", "c6", "c7"]) await add(container, container);
  assert.equal(await add("late", "c8"), "10.0.0.1/29", "better reused than none");
  assert.equal((await plugin.call("STATUS", sticky)).error.code, 50);
});

test("[IPAM-5] configurations of before 0.3.0, or of no version, get the first address of each family", async (t) => {
  const plugin = new Plugin(t);
  const ipam = {
    ipRanges: [{ range: "10.0.0.0/29" }, { range: "10.0.1.0/29" }, { range: "fd00::/64" }],
    gateway: "10.0.0.1",
    routes: [{ dst: "0.0.0.0/0" }, { dst: "::/0", gw: "fd00::9" }],
  };
  for (const cniVersion of ["0.1.0", "0.2.0", undefined]) {
    const { failed, result } = await plugin.call("ADD", ipam, { network: { cniVersion } });
    assert.equal(failed, false, JSON.stringify(result));
    assert.deepEqual(result, {
      cniVersion: cniVersion ?? "0.1.0",
      ip4: { ip: "10.0.0.2/29", gateway: "10.0.0.1", routes: [{ dst: "0.0.0.0/0" }] },
      ip6: { ip: "fd00::1/64", routes: [{ dst: "::/0", gw: "fd00::9" }] },
    });
  }
  const deleted = await plugin.call("DEL", ipam, { network: { cniVersion: "0.2.0" } });
  assert.equal(deleted.failed, false);
  assert.deepEqual(await plugin.reserved(), []);
});

test("[IPAM-11] sticky addresses come back in any version, with bounds that are ignored, and are shown", async (t) => {
  const plugin = new Plugin(t);
  const ipam = {
    ipRanges: [
      {
        range: "10.0.0.0/29",
        range_start: "10.0.0.4",
        range_end: "10.0.0.2",
        exclude: ["10.0.0.5"],
      },
      { range: "fd00::/64" },
    ],
    sticky_seconds: 60,
  };
  const add = async (pod: string, container: string, cniVersion: string) => {
    const { result } = await plugin.call("ADD", ipam, { pod, container, network: { cniVersion } });
    const { ip4, ip6 } = result as { ip4?: { ip: string }; ip6?: { ip: string } };
    return [ip4?.ip, ip6?.ip];
  };
  assert.deepEqual(await add("db-0", "c1", "0.2.0"), ["10.0.0.4/29", "fd00::1/64"]);
  const gone = await plugin.call("DEL", ipam, {
    container: "c1",
    network: { cniVersion: "0.2.0" },
  });
  assert.equal(gone.failed, false);
  assert.deepEqual(await add("web", "c2", "0.1.0"), ["10.0.0.6/29", "fd00::2/64"]);
  assert.deepEqual(await add("db-0", "c3", "0.1.0"), ["10.0.0.4/29", "fd00::1/64"]);
  const { error } = await plugin.call("ADD", ipam, { pod: "third", container: "c4" });
  assert.match(
    error.msg,
    /10\.0\.0\.4-10\.0\.0\.6\): all 2 usable addresses are taken, 1 excluded/,
  );
});
