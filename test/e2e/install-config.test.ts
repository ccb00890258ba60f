// The command line on real files, and the real programs on what it writes.

import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { CommandError } from "../../src/base/host/error.ts";
import { openLan } from "../fixtures/lan.ts";

const program = join(import.meta.dirname, "../../bin/tandem");
const commands = systemCommands();
const scratch = await mkdtemp(join(tmpdir(), "tandem-install-"));
after(() => rm(scratch, { recursive: true }));

const valid = `apiVersion: v1
baseDomain: example.com
metadata: { name: ostest }
networking:
  machineNetwork: [{ cidr: 192.168.111.0/24 }, { cidr: "fd00:111::/64" }]
  clusterNetwork: [{ cidr: 10.128.0.0/14, hostPrefix: 23 }, { cidr: "fd01::/48", hostPrefix: 64 }]
  serviceNetwork: [172.30.0.0/16, "fd02::/112"]
platform:
  baremetal:
    # what everybody knows
    apiVIP: 192.168.111.5
    apiVIPs: [192.168.111.5, "fd00:111::5"]
    ingressVIPs: [192.168.111.4, "fd00:111::4"]
    hosts:
      - name: master-0
        role: master
        networkConfig:
          interfaces:
            - name: eth0
              ipv4: { address: [{ ip: 192.168.111.20, prefix-length: 24 }] }
              ipv6: { address: [{ ip: "fd00:111::20", prefix-length: 64 }] }
`;

test("[VIP-1] validate: fine, with a warning about what is deprecated", async () => {
  const { stdout, stderr } = await installConfig("validate", valid);
  assert.match(stdout, /is valid\n$/);
  assert.equal(stderr, "warning: platform.baremetal.apiVIP is deprecated; use apiVIPs\n");
});

test("[VIP-1] validate: everything that is wrong, and exit code 1", async () => {
  const wrong = valid.replace("fd00:111::5", "nonsense").replace("172.30.0.0/16", "10.128.0.0/16");
  await assert.rejects(installConfig("validate", wrong), (error) => {
    assert(error instanceof CommandError);
    assert.equal(error.exitCode, 1);
    assert.match(error.stderr, /^platform\.baremetal\.apiVIPs: Invalid value: "nonsense": /m);
    assert.match(error.stderr, /^networking\.clusterNetwork\[0\]: Invalid value: /m);
    return true;
  });
});

test("[VIP-1] migrate: the same without what is deprecated", async () => {
  const { stdout } = await installConfig("migrate", valid);
  assert.doesNotMatch(stdout, /apiVIP:/);
  assert.match(stdout, /# what everybody knows/);
  const again = await installConfig("validate", stdout);
  assert.equal(again.stderr, "");
});

test("[VIP-1, VIP-3] render: manifests, and configurations the real programs accept", async () => {
  const out = join(scratch, "rendered");
  const node = join(out, "nodes/master-0");
  const further = ["--master", "master-1=192.168.111.21,fd00:111::21"];
  await installConfig("render", valid, "--out", out, "--directory", node, ...further);
  assert.deepEqual((await readdir(join(out, "nodes"))).toSorted(), ["master-0", "master-1"]);
  const manifest = await readFile(join(out, "manifests/infrastructure.yaml"), "utf8");
  assert.match(manifest, /apiServerInternalIP: 192\.168\.111\.5\n/);

  await using lan = await openLan();
  const host = await lan.join("host", ["192.168.111.20/24", "fd00:111::20/64"]);
  for (const command of [
    ["keepalived", "--config-test", "--use-file", join(node, "keepalived.conf")],
    ["haproxy", "-c", "-q", "-f", join(node, "haproxy.cfg")],
    ["nft", "--check", "--file", join(node, "firewall.nft")],
  ]) {
    const { stdout, stderr } = await host.commands.run(command);
    assert.equal(stdout + stderr, "", command.join(" "));
  }
});

test("render: nothing to render for is an error that says what to do", async () => {
  const nobody = valid.slice(0, valid.indexOf("    hosts:"));
  await assert.rejects(
    installConfig("render", nobody, "--out", join(scratch, "nothing")),
    /none is given by --master or --worker/,
  );
});

async function installConfig(verb: string, text: string, ...options: readonly string[]) {
  const file = join(scratch, `${verb}.yaml`);
  await writeFile(file, text);
  return commands.run([program, "install-config", verb, file, ...options]);
}
