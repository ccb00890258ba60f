import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { launcher } from "../../src/programs/up/programs.ts";
import { says } from "./cluster.fixture.ts";

const kubeadm = `
apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
localAPIEndpoint: { advertiseAddress: "fd00:90::2,10.90.0.2" }
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
networking: { podSubnet: "fd00:10:20::/72,10.20.0.0/16", serviceSubnet: "fd00:1234::/112,10.97.0.0/16" }
`;

let directory = "";
before(async () => {
  directory = await mkdtemp(join(tmpdir(), "tandem-config-"));
});
after(() => rm(directory, { recursive: true, force: true }));

test("what a dry run prints is a configuration of the same cluster", async () => {
  const first = await dryRun("--pod-cidr=fd00:77::/56", "--nodes=2", "--route=vxlan");
  const again = await dryRun(`--config=${await file("own.yaml", first)}`);
  assert.equal(again, first);
  const changed = await dryRun(`--config=${await file("own.yaml", first)}`, "--nodes=4");
  assert.equal((parse(changed) as { nodes: number }).nodes, 4);
});

test("[KADM-1] up takes a configuration of kubeadm", async () => {
  const printed = await dryRun(`--config=${await file("kubeadm.yaml", kubeadm)}`);
  const { podCidr, serviceCidr, nodeCidr, advertise } = parse(printed) as Record<string, unknown>;
  assert.deepEqual(podCidr, ["fd00:10:20::/72", "10.20.0.0/16"]);
  assert.deepEqual(serviceCidr, ["fd00:1234::/112", "10.97.0.0/16"]);
  assert.deepEqual(nodeCidr, ["fd00:90::/64", "10.90.0.0/24"]);
  assert.deepEqual(advertise, ["fd00:90::2", "10.90.0.2"]);
});

test("[KADM-1] the manifests have the flags of both families", async () => {
  const path = await file("kubeadm.yaml", kubeadm);
  const { stdout } = await systemCommands().run([launcher, "kubeadm", "manifests", path]);
  assert.match(stdout, /--service-cluster-ip-range=fd00:1234::\/112,10\.97\.0\.0\/16/);
  assert.match(stdout, /--cluster-cidr=fd00:10:20::\/72,10\.20\.0\.0\/16/);
});

test("[KADM-2] bad lists in it are refused by up and by server, by field and value", async () => {
  const bad = kubeadm.replace("10.20.0.0/16", "10.97.128.0/17");
  const path = await file("bad.yaml", bad);
  const message = /networking\.podSubnet=10\.97\.128\.0\/17: it overlaps networking\.serviceSubnet/;
  await assert.rejects(dryRun(`--config=${path}`), says(message));
  const server = systemCommands().run([launcher, "server", `--config=${path}`]);
  await assert.rejects(server, says(message));
});

async function dryRun(...flags: string[]): Promise<string> {
  const name = "--name=nowhere";
  return (await systemCommands().run([launcher, "up", "--dry-run", name, ...flags])).stdout;
}

async function file(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}
