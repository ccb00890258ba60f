import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Informers } from "../../api/client/informer.ts";
import { FakeApi } from "../../api/client/testing/api.ts";
import { FakeClock } from "../../base/host/clock.fake.ts";
import { FakeFiles } from "../../base/host/files.fake.ts";
import { FakeRandom } from "../../base/host/random.fake.ts";
import { createLog } from "../../base/program/log.ts";
import { keepIpamCredentials } from "./credentials.ts";

const path = "/run/worker/ipam/kubeconfig";
const hour = 3_600_000;

function setUp() {
  const api = new FakeApi();
  const clock = new FakeClock();
  const files = new FakeFiles();
  const log = createLog({ format: "json", write: () => undefined });
  const settings = { clock, random: new FakeRandom(), log };
  const informers = new Informers(settings);
  const nodes = api.client.resource("v1", "Node");
  const requested: string[] = [];
  let failures = 0;
  const credentials = keepIpamCredentials({
    ...settings,
    files,
    path,
    account: { namespace: "kube-system", name: "tandem-ipam" },
    nodes: informers.of(nodes),
    node: "worker",
    server: new URL("https://[2001:db8::1]:6443"),
    authority: "/data/identity/ca.crt",
    request: async (uid) => {
      if (failures-- > 0) throw new Error("the server is away");
      requested.push(uid);
      return { token: `token-${requested.length}`, expires: new Date(clock.now() + hour) };
    },
  });
  const stop = new AbortController();
  const run = () =>
    Promise.allSettled([informers, credentials].map((part) => part.run(stop.signal)));
  const fail = (times: number) => {
    failures = times;
  };
  const register = async (name: string) =>
    (await nodes.create({ metadata: { name }, spec: {} })).metadata.uid;
  const token = async () => {
    const text = await files.read(path);
    if (text === undefined) return undefined;
    const { users } = JSON.parse(text) as { users: { user: { token: string } }[] };
    return users[0]?.user.token;
  };
  return { clock, files, nodes, requested, stop, run, fail, register, token };
}

describe("credentials of the plugin", () => {
  test("[SEC-6] are written for their owner only, once this node is registered", async () => {
    const { clock, files, requested, stop, run, register, token } = setUp();
    const running = run();
    await register("other");
    await clock.advance(1_000);
    assert.equal(await token(), undefined);
    const uid = await register("worker");
    await clock.advance(1_000);
    assert.deepEqual(requested, [uid]);
    assert.equal(files.files.get(path)?.mode, 0o600);
    assert.ok(files.privateDirectories.has("/run/worker/ipam"));
    const { clusters, contexts } = JSON.parse((await files.read(path)) ?? "") as Record<
      string,
      unknown
    >;
    const cluster = {
      server: "https://[2001:db8::1]:6443",
      "certificate-authority": "/data/identity/ca.crt",
    };
    assert.deepEqual(clusters, [{ name: "tandem", cluster }]);
    const context = { cluster: "tandem", user: "tandem-ipam", namespace: "kube-system" };
    assert.deepEqual(contexts, [{ name: "tandem-ipam@tandem", context }]);
    stop.abort();
    await running;
  });

  test("are renewed before they expire, also when the server is away for a while", async () => {
    const { clock, stop, run, fail, register, token } = setUp();
    const running = run();
    await register("worker");
    await clock.advance(hour / 2);
    assert.equal(await token(), "token-1");
    fail(5);
    await clock.advance(hour / 2);
    assert.equal(await token(), "token-2");
    await clock.advance(10 * hour);
    assert.match((await token()) ?? "", /^token-1\d$/);
    stop.abort();
    await running;
  });

  test("are replaced when the node is registered anew", async () => {
    const { clock, nodes, requested, stop, run, register } = setUp();
    const running = run();
    const first = await register("worker");
    await clock.advance(1_000);
    await nodes.delete({ name: "worker" });
    const second = await register("worker");
    await clock.advance(1_000);
    assert.deepEqual(requested, [first, second]);
    stop.abort();
    await running;
  });
});
