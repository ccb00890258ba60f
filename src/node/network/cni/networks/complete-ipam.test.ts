import assert from "node:assert/strict";
import { test } from "node:test";
import { parseNetwork } from "../configuration.ts";
import type { Json } from "../json.ts";
import { completeIpam, type IpamDefaults } from "./complete-ipam.ts";

const defaults: IpamDefaults = {
  dataDirectory: "/run/node/networks",
  kubeconfig: "/node/kubeconfig",
  node: "node-1",
  ownTypes: ["tandem-ipam", "whereabouts"],
};

function completed(ipam: Json, more: Partial<IpamDefaults> = {}): unknown {
  const given = parseNetwork(
    { cniVersion: "1.0.0", name: "blue", type: "macvlan", ipam },
    { where: "test" },
  );
  const { source } = completeIpam(given, { ...defaults, ...more });
  return (source["plugins"] as Json[])[0]?.["ipam"];
}

test("[IPAM-7] our plugin finds the API and the node under either name, unless told of others", () => {
  for (const type of ["whereabouts", "tandem-ipam"]) {
    const ipam = { type, range: "192.168.2.225/28" };
    const kubernetes = { kubeconfig: "/node/kubeconfig" };
    assert.deepEqual(completed(ipam), { ...ipam, node_name: "node-1", kubernetes });
    const own = { ...ipam, node_name: "x", kubernetes: { kubeconfig: "/mine" } };
    assert.deepEqual(completed(own), own);
    const file = { ...ipam, configuration_path: "/mine.conf" };
    assert.deepEqual(completed(file), file);
    const etcd = { ...ipam, datastore: "etcd", etcd_host: "a:1" };
    assert.deepEqual(completed(etcd), { ...etcd, node_name: "node-1" });
  }
});

test("[IPAM-7] the plugin's credentials are not for a server that a network names", () => {
  const k8s_api_root = "https://[fd00::1]:6443";
  for (const more of [{ kubernetes: { k8s_api_root } }, { k8s_api_root }]) {
    const ipam = { type: "whereabouts", node_name: "x", ...more };
    assert.deepEqual(completed(ipam), ipam);
  }
});

test("[IPAM-7] another's plugin of the same name is told nothing", () => {
  const ipam = { type: "whereabouts", range: "10.0.0.0/24" };
  assert.deepEqual(completed(ipam, { ownTypes: ["tandem-ipam"] }), ipam);
  const dhcp = { type: "dhcp" };
  assert.deepEqual(completed(dhcp), dhcp);
});

test("[CNI-2] reservations of this machine are kept where the node says, unless a network does", () => {
  const ranges = [[{ subnet: "10.0.0.0/24" }]];
  assert.deepEqual(completed({ type: "host-local", ranges }), {
    type: "host-local",
    ranges,
    dataDir: "/run/node/networks/host-local",
  });
  const local = { type: "tandem-ipam", datastore: "local", range: "10.0.0.0/24" };
  assert.deepEqual(completed(local), {
    ...local,
    node_name: "node-1",
    data_dir: "/run/node/networks/tandem-ipam",
  });
  const named = { ...local, data_dir: "/mine", node_name: "x" };
  assert.deepEqual(completed(named), named);
  for (const ipam of [
    { type: "host-local", ranges },
    { ...local, node_name: "x" },
  ]) {
    assert.deepEqual(completed(ipam, { dataDirectory: undefined }), ipam);
  }
});
