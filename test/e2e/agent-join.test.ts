// How machines become nodes, stay nodes, and who may ask them.
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isNotFound } from "../../src/api/client/errors.ts";
import { CommandError } from "../../src/base/host/error.ts";
import type { LanHost } from "../fixtures/lan.ts";
import {
  type AgentCluster,
  type AgentNode,
  isReady,
  nodeNamed,
  openAgentCluster,
  until,
} from "./agent.fixture.ts";

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;
const timeout = 240_000;

describe("[API-6] joining", { timeout }, () => {
  let cluster: AgentCluster;
  let node: AgentNode;
  let stranger: LanHost;

  before(async () => {
    cluster = await openAgentCluster();
    stranger = await cluster.lan.join("stranger", ["192.0.2.7/24", "2001:db8::7/64"]);
    const printed = await cluster.tandem("token", "create", "--print-join-command");
    const words = printed.trim().split(" ").slice(2);
    assert.deepEqual([words[0], words[2], words[4]], ["--server", "--token", "--ca-hash"]);
    const joined = [2, 4, 0].map((index) => `${words[index]}=${words[index + 1]}`);
    node = await cluster.join("joined", ["192.0.2.1/24", "2001:db8::1/64"], joined);
  });
  after(async () => await cluster[Symbol.asyncDispose]());

  /** How an agent ends that cannot join. */
  const refusal = async (...words: string[]): Promise<{ code?: number; text: string }> => {
    const places = ["data", "run"].map(
      (name) => `--${name}-dir=${join(cluster.lan.scratch, name)}`,
    );
    const command = [launcher, "agent", "--node-name=stranger", ...places, ...words];
    try {
      await stranger.commands.run(command, { timeoutMs: 30_000 });
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode === undefined) throw error;
      return { code: error.exitCode, text: error.stderr };
    }
    return { text: "it joined" };
  };
  const token = async () => (await cluster.tandem("token", "create")).trim();
  const pin = async () => {
    const printed = await cluster.tandem("token", "create", "--print-join-command");
    return /sha256:\w+/.exec(printed)?.[0] ?? "";
  };

  test("a token and the root's hash make a node, with addresses of both families", async () => {
    const found = await nodeNamed(cluster.client, "joined");
    assert.deepEqual(found?.status?.addresses, [
      { type: "InternalIP", address: "192.0.2.1" },
      { type: "InternalIP", address: "2001:db8::1" },
      { type: "Hostname", address: "joined" },
    ]);
    assert.equal(found?.spec.podCIDRs?.length, 2);
  });

  test("[NODE-4] a node brings its own CIDRs, labels and taints", async () => {
    await cluster.join(
      "given",
      ["192.0.2.3/24", "2001:db8::3/64"],
      [
        "--pod-cidr=10.77.1.0/24,fd77:1::/64",
        "--node-ip=2001:db8::3,192.0.2.3",
        "--node-labels=zone=a",
        "--register-with-taints=dedicated=db:NoSchedule",
      ],
    );
    const found = await nodeNamed(cluster.client, "given");
    assert.deepEqual(found?.spec.podCIDRs, ["10.77.1.0/24", "fd77:1::/64"]);
    assert.equal(found?.metadata.labels?.["zone"], "a");
    const own = found?.spec.taints?.filter(({ key }) => key === "dedicated");
    assert.deepEqual(own, [{ key: "dedicated", value: "db", effect: "NoSchedule" }]);
    const addresses = found?.status?.addresses?.map(({ address }) => address);
    assert.deepEqual(addresses, ["2001:db8::3", "192.0.2.3", "given"]);
  });

  test("keys are for their owner alone", async () => {
    for (const name of ["client.pem", "serving.pem", "kubeconfig"]) {
      const { mode } = await stat(join(node.dataDir, "identity", name));
      assert.equal(mode & 0o777, 0o600, name);
    }
  });

  test("a server with another root is not told the token", async () => {
    const wrong = `sha256:${"0".repeat(64)}`;
    const { code, text } = await refusal(
      `--server=${cluster.url}`,
      `--token=${await token()}`,
      `--ca-hash=${wrong}`,
    );
    assert.equal(code, 1);
    assert.match(
      text,
      /Cannot join the cluster at .*: its root is sha256:\w{64}, and expected was/,
    );
    assert.ok(text.includes(await pin()));
  });

  test("a wrong token is refused", async () => {
    const { code, text } = await refusal(
      `--server=${cluster.url}`,
      "--token=aaaaaa.bbbbbbbbbbbbbbbb",
      `--ca-hash=${await pin()}`,
    );
    assert.equal(code, 1);
    assert.match(text, /Cannot join the cluster at .*: the token is not valid, or has expired/);
  });

  test("a deleted token is refused", async () => {
    const deleted = await token();
    await cluster.tandem("token", "delete", deleted);
    const listed = await cluster.tandem("token", "list", "--output=name");
    assert.ok(!listed.includes(deleted.slice(0, 6)));
    const words = [`--server=${cluster.url}`, `--token=${deleted}`, `--ca-hash=${await pin()}`];
    assert.match((await refusal(...words)).text, /the token is not valid, or has expired/);
  });

  test("what is missing is asked for", async () => {
    assert.match((await refusal()).text, /--server is not given/);
    const server = `--server=${cluster.url}`;
    assert.match((await refusal(server)).text, /--token is not given/);
    assert.match((await refusal(server, "--token=a.b")).text, /--ca-hash is not given/);
    const short = await refusal(server, "--token=a.b", "--ca-hash=sha256:12");
    assert.equal(short.code, 2);
    assert.match(short.text, /Cannot use --ca-hash "sha256:12"/);
  });

  test("only the API server may ask a node", async () => {
    const url = "https://192.0.2.1:10250/pods";
    const identity = join(node.dataDir, "identity");
    const ask = async (...words: string[]) => {
      const command = ["curl", "--silent", "--cacert", join(identity, "ca.crt"), ...words, url];
      return (await stranger.commands.run(command)).stdout;
    };
    assert.match(await ask(), /a certificate of the cluster is required/);
    const other = ["--cert", join(identity, "client.pem"), "--key", join(identity, "client.pem")];
    assert.match(await ask(...other), /Cannot answer system:node:joined: only the API server/);
    const path = join(cluster.lan.scratch, "server/pki");
    const own = ["--cert", join(path, "server.crt"), "--key", join(path, "server.key")];
    assert.match(await ask(...own), /"kind":"PodList"/);
  });

  test("a node that was deleted registers again", async () => {
    const uid = (await nodeNamed(cluster.client, "joined"))?.metadata.uid;
    await cluster.client.resource("v1", "Node").delete({ name: "joined" });
    await until("another node of the name", node.agent, async () => {
      const found = await nodeNamed(cluster.client, "joined");
      return found !== undefined && found.metadata.uid !== uid && isReady(found);
    });
  });

  test("it comes back without a token, and after the server did", async () => {
    const place = { namespace: "kube-node-lease", name: "joined" };
    const leases = cluster.client.resource("coordination.k8s.io/v1", "Lease");
    await node.agent.kill();
    const names = await cluster.tandem("token", "list", "--output=name");
    for (const name of names.trim().split("\n")) {
      await cluster.tandem("token", "delete", name.replace("token/", ""));
    }
    await leases.delete(place).catch((error: unknown) => assert.ok(isNotFound(error)));
    await cluster.server.kill();
    await node.agent.start();
    await cluster.server.start();
    await until("a heartbeat", node.agent, async () => {
      const { spec } = await leases.get(place);
      return spec.renewTime !== undefined;
    });
    await until("a ready node", node.agent, async () =>
      isReady(await nodeNamed(cluster.client, "joined")),
    );
  });
});
