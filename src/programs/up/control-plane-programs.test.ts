import assert from "node:assert/strict";
import { test } from "node:test";
import { Address } from "../../base/net/address.ts";
import { Prefix } from "../../base/net/prefix.ts";
import {
  controlPlaneAgent,
  controlPlaneServer,
  forwarderConfiguration,
  forwarderProgram,
  memberProgram,
  vipProgram,
  virtualUrl,
} from "./control-plane-programs.ts";
import type { Program } from "./programs.ts";
import { type GivenSettings, resolveSettings } from "./settings.ts";
import { topologyOf } from "./topology.ts";

const files = { authority: "/pki/ca.crt", certificate: "/pki/own.crt", key: "/pki/own.key" };
const invitation = {
  server: "https://192.168.111.8:6443",
  token: "a.b",
  authorityHash: "sha256:c",
};

interface Orders {
  readonly podCidr: string;
  /** The addresses of the second control plane, as hosts of a URL. */
  readonly own: readonly string[];
  readonly first: readonly string[];
  readonly vips: readonly string[];
}

const orders: readonly Orders[] = [
  {
    podCidr: "10.1.0.0/16",
    own: ["192.168.111.3"],
    first: ["192.168.111.2", "192.168.111.3", "192.168.111.4"],
    vips: ["192.168.111.8"],
  },
  {
    podCidr: "fd01::/56",
    own: ["[fd00:111::3]"],
    first: ["[fd00:111::2]", "[fd00:111::3]", "[fd00:111::4]"],
    vips: ["[fd00:111::8]"],
  },
  {
    podCidr: "fd01::/56,10.1.0.0/16",
    own: ["[fd00:111::3]", "192.168.111.3"],
    first: ["[fd00:111::2]", "[fd00:111::3]", "[fd00:111::4]"],
    vips: ["[fd00:111::8]", "192.168.111.8"],
  },
];

for (const { podCidr, own, first, vips } of orders) {
  test(`[VIP-3] with pods in ${podCidr}, programs use its families in their order`, () => {
    const { options, host } = cluster({ podCidr: podCidr.split(",").map(Prefix.parse) });
    const member = wordsOf(memberProgram(host, options, files));
    const clients = own.map((each) => `https://${each}:2379`).join();
    assert.equal(member.get("--listen-client-urls"), clients);
    assert.equal(member.get("--listen-peer-urls"), `https://${own[0]}:2380`);
    assert.equal(
      member.get("--initial-cluster"),
      first.map((each, index) => `control-plane-${index + 1}=https://${each}:2380`).join(),
    );
    const server = wordsOf(controlPlaneServer(host, options, files));
    assert.equal(server.get("--listen"), own.map((each) => `${each}:6443`).join());
    const [store, query] = server.get("--store")?.split("?") ?? [];
    assert.equal(store, `etcd://${own[0]}:2379`, "of its own node");
    assert.deepEqual(Object.fromEntries(new URLSearchParams(query)), {
      ca: files.authority,
      cert: files.certificate,
      key: files.key,
    });
    assert.equal(server.get("--tls-san"), vips.join().replaceAll(/[[\]]/g, ""));
    assert.equal(virtualUrl(options.settings), `https://${vips[0]}:6443`);
  });
}

test("a member of etcd takes nobody without a certificate", () => {
  const { options, host } = cluster();
  const { command, namespace } = memberProgram(host, options, files);
  assert.match(namespace ?? "", /control-plane-2/);
  for (const use of ["", "peer-"]) {
    assert.ok(command.includes(`--${use}client-cert-auth`));
    assert.ok(command.includes(`--${use}trusted-ca-file=${files.authority}`));
    assert.ok(command.includes(`--${use}cert-file=${files.certificate}`));
    assert.ok(command.includes(`--${use}key-file=${files.key}`));
  }
  assert.ok(!command.some((word) => word.includes("http://")));
});

test("the agent of a control plane asks its own server, and keeps ordinary pods away", () => {
  const { options, host } = cluster();
  const program = controlPlaneAgent(host, options, invitation);
  const agent = wordsOf(program);
  assert.equal(agent.get("--server"), "https://192.168.111.3:6443");
  assert.equal(agent.get("--node-labels"), undefined);
  assert.equal(
    agent.get("--register-with-taints"),
    "node-role.kubernetes.io/control-plane:NoSchedule",
  );
  assert.ok(!program.command.some((word) => word.includes(invitation.token)));
});

test("programs of one control plane have places of their own", () => {
  const { options, topology } = cluster();
  const directories = topology.servers.flatMap((host) => [
    wordsOf(memberProgram(host, options, files)).get("--data-dir"),
    wordsOf(controlPlaneServer(host, options, files)).get("--data-dir"),
    wordsOf(controlPlaneAgent(host, options, invitation)).get("--data-dir"),
    wordsOf(vipProgram(host, options)).get("--directory"),
  ]);
  assert.equal(new Set(directories).size, 4 * topology.servers.length);
  const [host] = topology.servers;
  const kubeconfig = wordsOf(vipProgram(host, options)).get("--kubeconfig");
  const written = wordsOf(controlPlaneServer(host, options, files)).get("--kubeconfig-out");
  assert.equal(kubeconfig, written);
});

test("what comes to the machine's loopback goes to the first virtual address, else to the next", () => {
  const apiVips = ["fd00:111::5", "192.168.111.5"].map(Address.parse);
  const { options } = cluster({ apiVips });
  const servers = forwarderConfiguration(options).match(/(?<=^ +)server .*/gm) ?? [];
  assert.deepEqual(
    servers.map((line) => [/\S+:6443/.exec(line)?.[0], line.endsWith(" backup")]),
    [
      ["[fd00:111::5]:6443", false],
      ["192.168.111.5:6443", true],
    ],
  );
  const { descriptors, command } = forwarderProgram("/forwarder.cfg", options);
  assert.deepEqual(descriptors, [options.descriptor]);
  assert.ok(command.includes("/forwarder.cfg"));
});

test("there is no virtual address of a cluster with one control plane", () => {
  assert.throws(() => virtualUrl(resolveSettings({ name: "x" })), /there is no virtual address/);
});

function cluster(given: Partial<GivenSettings> = {}) {
  const settings = resolveSettings({ name: "x", controlPlanes: 3, ...given });
  const topology = topologyOf(settings);
  const [first, host = first] = topology.servers;
  const options = { settings, topology, dataDir: "/data", hasCgroups: true, descriptor: 7 };
  return { options, topology, host };
}

/** Returns the flags of a command, with their values. */
function wordsOf({ command }: Program): ReadonlyMap<string, string> {
  return new Map(
    command
      .filter((word) => word.startsWith("--"))
      .map((word) => {
        const at = word.indexOf("=");
        return at < 0 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
      }),
  );
}
