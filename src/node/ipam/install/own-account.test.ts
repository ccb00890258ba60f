import assert from "node:assert/strict";
import { test } from "node:test";
import type { Credential } from "../../../api/client/access.ts";
import { FakeClock } from "../../../base/host/clock.fake.ts";
import { FakeFiles } from "../../../base/host/files.fake.ts";
import { createLog } from "../../../base/program/log.ts";
import { openOwnAccount } from "./own-account.ts";

const directory = "/etc/cni/net.d/whereabouts.d";
const path = `${directory}/whereabouts.kubeconfig`;

function setUp() {
  const files = new FakeFiles();
  const clock = new FakeClock();
  let credential: Credential = { authorization: "Bearer first" };
  const options = {
    path,
    files,
    clock,
    log: createLog({ format: "json", write: () => undefined }),
    access: {
      server: new URL("https://[2001:db8::1]:6443"),
      authorities: "a certificate",
      namespace: "kube-system",
      credentials: { current: () => Promise.resolve(credential), reject: () => undefined },
    },
  };
  const tokens = async (): Promise<unknown> => {
    const { users } = JSON.parse((await files.read(path)) ?? "{}") as {
      users: { user: { token: string } }[];
    };
    return users.map(({ user }) => user.token);
  };
  const renew = (token: string) => {
    credential = { authorization: `Bearer ${token}` };
  };
  return { options, files, clock, tokens, renew };
}

test("[INST-6] the plugin's kubeconfig has the pod's token, also after that was replaced", async () => {
  const { options, files, clock, tokens, renew } = setUp();
  const part = await openOwnAccount(options);
  assert.deepEqual(await tokens(), ["first"]);
  assert.deepEqual(JSON.parse((await files.read(`${directory}/whereabouts.conf`)) ?? ""), {
    datastore: "kubernetes",
    kubernetes: { kubeconfig: path },
  });
  const stop = new AbortController();
  const running = part.run(stop.signal);
  renew("second");
  await clock.advance(30_000);
  assert.deepEqual(await tokens(), ["second"]);
  await files.write(path, '{"users": [{"user": {"token": "whereabouts"}}]}');
  await clock.advance(30_000);
  assert.deepEqual(await tokens(), ["second"]);
  stop.abort();
  await clock.advance(0);
  await running;
});

test("[INST-6] a flat file of whereabouts stays as it is", async () => {
  const { options, files } = setUp();
  await files.write(`${directory}/whereabouts.conf`, '{"datastore": "etcd"}');
  await openOwnAccount(options);
  assert.equal(await files.read(`${directory}/whereabouts.conf`), '{"datastore": "etcd"}');
});

test("[INST-6] access without a token writes no kubeconfig", async () => {
  const { options, files } = setUp();
  const credentials = { current: async (): Promise<Credential> => ({}), reject: () => undefined };
  const without = { ...options, access: { ...options.access, credentials } };
  await assert.rejects(openOwnAccount(without), /Cannot write .*: .* without a token/);
  assert.equal(await files.read(path), undefined);
});
