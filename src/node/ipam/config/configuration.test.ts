import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { IpamError } from "../errors.ts";
import { parseConfiguration } from "./configuration.ts";
import type { JsonObject } from "./fields.ts";

function parse(ipam: JsonObject, network: JsonObject = {}) {
  return parseConfiguration({
    cniVersion: "1.0.0",
    name: "net",
    type: "bridge",
    ...network,
    ipam: { type: "tandem-ipam", ...ipam },
  });
}

function refused(ipam: JsonObject, message: RegExp, network: JsonObject = {}) {
  assert.throws(
    () => parse(ipam, network),
    (error) => error instanceof IpamError && error.code === 7 && message.test(error.message),
  );
}

test("[IPAM-1] both types are taken, others are not", () => {
  assert.equal(parse({ type: "whereabouts", range: "10.0.0.0/8" }).ranges.length, 1);
  refused({ type: "static", range: "10.0.0.0/8" }, /'tandem-ipam', 'whereabouts'/);
});

test("[IPAM-1] unknown keys are kept and warned about", () => {
  const { unknown, warnings } = parse({
    range: "10.0.0.0/8",
    colour: "blue",
    ipRanges: [{ range: "fd00::/64", depth: 3 }],
    leader_lease_duration: 1500,
  });
  assert.deepEqual(unknown, { colour: "blue" });
  assert.deepEqual(warnings, [
    "ipam.ipRanges[0].depth is not known: it has no effect",
    "ipam.colour is not known: it has no effect",
  ]);
});

test("[IPAM-1] a configuration with a range only gets the defaults: Kubernetes datastore, warnings, unique across pools", () => {
  const configuration = parse({ range: "10.0.0.0/8" });
  assert.deepEqual(configuration.datastore, { type: "kubernetes" });
  assert.deepEqual(configuration.log, { level: "warning" });
  assert.equal(configuration.uniqueAcrossPools, true);
  assert.equal(configuration.stickySeconds, 0);
});

test("[IPAM-7] the datastores and their settings", () => {
  const datastore = (ipam: JsonObject) => parse({ range: "10.0.0.0/8", ...ipam }).datastore;
  assert.deepEqual(datastore({ datastore: "local" }), {
    type: "local",
    dataDir: "/var/lib/tandem/ipam",
  });
  assert.deepEqual(datastore({ datastore: "local", data_dir: "/x" }), {
    type: "local",
    dataDir: "/x",
  });
  assert.deepEqual(datastore({ datastore: "etcd", etcd_host: "10.0.0.1:2379, http://b:1" }), {
    type: "etcd",
    endpoints: ["http://10.0.0.1:2379", "http://b:1"],
  });
  assert.deepEqual(
    datastore({
      datastore: "etcd",
      etcd_host: "a:1",
      etcd_username: "u",
      etcd_password: "p",
      etcd_ca_cert_file: "/ca",
      etcd_cert_file: "/cert",
      etcd_key_file: "/key",
    }),
    {
      type: "etcd",
      endpoints: ["https://a:1"],
      username: "u",
      password: "p",
      caFile: "/ca",
      certFile: "/cert",
      keyFile: "/key",
    },
  );
  assert.deepEqual(
    datastore({ kubernetes: { kubeconfig: "/k", k8s_api_root: "https://[fd00::1]:6443" } }),
    { type: "kubernetes", kubeconfig: "/k", server: "https://[fd00::1]:6443" },
  );
  refused(
    { range: "10.0.0.0/8", datastore: "tape" },
    /datastore "tape": .*kubernetes, etcd, local/,
  );
  refused({ range: "10.0.0.0/8", datastore: "etcd" }, /etcd_host/);
});

test("[IPAM-1] the flat file fills in what the network leaves open, and nothing else", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "ipam-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "whereabouts.conf");
  writeFileSync(
    file,
    JSON.stringify({
      datastore: "local",
      data_dir: "/flat",
      log_level: "debug",
      enable_overlapping_ranges: true,
      kubernetes: { kubeconfig: "/flat.kubeconfig" },
    }),
  );
  const configuration = parse({
    range: "10.0.0.0/8",
    data_dir: "/inline",
    enable_overlapping_ranges: false,
    configuration_path: file,
  });
  assert.deepEqual(configuration.datastore, { type: "local", dataDir: "/inline" });
  assert.equal(configuration.log.level, "debug");
  assert.equal(configuration.uniqueAcrossPools, false);
  writeFileSync(file, "{");
  assert.throws(
    () => parse({ range: "10.0.0.0/8", configuration_path: file }),
    (error) => error instanceof IpamError && error.code === 6,
  );
});

test("[IPAM-1] a flat file that is named must be there", () => {
  refused({ range: "10.0.0.0/8", configuration_path: "/no/such/file" }, /config file not found/);
});

test("[IPAM-9] a gateway serves the ranges that hold it, else all of its family", () => {
  const gateways = (ipam: JsonObject) =>
    parse(ipam).ranges.map(({ gateway }) => gateway?.toString());
  const both = [{ range: "10.0.0.0/24" }, { range: "fd00::/64" }, { range: "10.0.1.0/24" }];
  assert.deepEqual(gateways({ ipRanges: both, gateway: "10.0.0.1" }), [
    "10.0.0.1",
    undefined,
    undefined,
  ]);
  assert.deepEqual(gateways({ ipRanges: both, gateway: "10.9.9.9,fd00::1" }), [
    "10.9.9.9",
    "fd00::1",
    "10.9.9.9",
  ]);
  assert.deepEqual(
    gateways({ ipRanges: [{ range: "10.0.0.0/24", gateway: "10.0.0.7" }], gateway: "10.0.0.1" }),
    ["10.0.0.7"],
  );
  refused({ range: "10.0.0.0/24", gateway: "10.0.0.1,nowhere" }, /ipam.gateway "nowhere"/);
});

test("[IPAM-9] gateways, fixed addresses and a bridge's own address are kept back", () => {
  const [range] = parse({
    range: "10.0.0.0/24",
    gateway: "10.0.0.9",
    addresses: [{ address: "10.0.0.5/24", gateway: "10.0.0.6" }],
  }).ranges;
  assert.deepEqual([...(range?.excluded ?? [])].map(String), [
    "10.0.0.5-10.0.0.6",
    "10.0.0.9-10.0.0.9",
  ]);
  const [bridged] = parse({ range: "fd00::/64" }, { isGateway: true }).ranges;
  assert.deepEqual([...(bridged?.excluded ?? [])].map(String), ["fd00::1-fd00::1"]);
  const [named] = parse({ range: "fd00::/64", gateway: "fd00::9" }, { isGateway: true }).ranges;
  assert.deepEqual([...(named?.excluded ?? [])].map(String), ["fd00::9-fd00::9"]);
});

test("[IPAM-6] what is wrong is named", () => {
  refused({}, /neither range, ipRanges nor addresses/);
  refused({ range: "10.0.0.0/8", routes: [{ dst: "everywhere" }] }, /routes\[0\].dst "everywhere"/);
  refused({ range: "10.0.0.0/8", routes: [{ gw: "10.0.0.1" }] }, /routes\[0\].dst: it must be set/);
  refused({ addresses: [{ address: "10.0.0.1" }] }, /addresses\[0\].address "10.0.0.1"/);
  refused({ range: "10.0.0.0/8", sticky_seconds: -1 }, /sticky_seconds -1/);
  refused(
    { range: "10.0.0.0/8", enable_overlapping_ranges: "no" },
    /enable_overlapping_ranges "no"/,
  );
  refused({ range: 4 }, /ipam.range 4: it must be a string/);
  refused({ range: "10.0.0.0/8", range_start: "ten" }, /^Cannot use ipam.range_start "ten": /);
  refused({ ips: [{ range: "x/8" }] }, /^Cannot use ipam.ips\[0\].range "x\/8": /);
  refused({ range: "10.0.0.0/8", node_slice_size: "/4" }, /ipam.node_slice_size "\/4"/);
  refused({ range: "10.0.0.0/8" }, /^Cannot use name: /, { name: undefined });
  refused({ range: "10.0.0.0/8" }, /^Cannot use name "a\/b": /, { name: "a/b" });
  assert.throws(
    () => parse({ range: "10.0.0.0/8" }, { cniVersion: "2.0.0" }),
    (error) => error instanceof IpamError && error.code === 1,
  );
});

test("[IPAM-9] a gateway of a family that no range has is warned of", () => {
  const warnings = (ipam: JsonObject) => parse(ipam).warnings;
  assert.deepEqual(warnings({ range: "10.0.0.0/24", gateway: "fd00::1" }), [
    "ipam.gateway fd00::1 has no effect: no range is IPv6",
  ]);
  const dual = [{ range: "10.0.0.0/24" }, { range: "fd00::/64" }];
  assert.deepEqual(warnings({ ipRanges: dual, gateway: "10.0.0.1" }), []);
});
