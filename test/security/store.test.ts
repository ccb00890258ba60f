// What lies on disk: encrypted where it is asked for, and named as what it is when it is damaged or gone.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EtcdClient, prefixEnd } from "../../src/base/etcd/client.ts";
import { startEtcd } from "../fixtures/etcd.ts";
import { TestServer } from "../fixtures/server.ts";

const secrets = "/api/v1/namespaces/default/secrets";

test("[SEC-9] a store that was emptied does not become a new cluster", async () => {
  await using server = await TestServer.start({ arguments: ["--controllers="] });
  const root = await readFile(join(server.directory, "data/pki/ca.crt"), "utf8");
  await server.kill();
  await rm(join(server.directory, "data/store"), { recursive: true });
  await assert.rejects(server.launch(), (error: Error) => {
    assert.match(
      error.message,
      /Cannot start: the store has no cluster in it, but .*pki\/ca\.crt is of one/,
    );
    return true;
  });
  assert.equal(await readFile(join(server.directory, "data/pki/ca.crt"), "utf8"), root);
});

test("[SEC-9] a store that lost its last acknowledged write says so, and goes on when told to", async () => {
  const options = { arguments: ["--controllers="] };
  await using server = await TestServer.start(options);
  const made = await server.call("POST", secrets, { metadata: { name: "last" } });
  assert.equal(made.code, 201);
  await server.kill();
  const store = join(server.directory, "data/store");
  const logs = (await readdir(store)).filter((name) => name.endsWith(".log")).toSorted();
  const log = join(store, logs.at(-1) ?? "");
  await truncate(log, (await readFile(log)).length - 10);
  await assert.rejects(server.launch(), (error: Error) => {
    assert.match(error.message, /ends at byte \d+, but \d+ bytes of it were acknowledged/);
    return true;
  });
  options.arguments.push("--accept-store-loss");
  await server.launch();
  assert.equal((await server.call("GET", `${secrets}/last`)).code, 404);
  assert.match(server.output, /was accepted/);
});

test("[SEC-9] a certificate that cannot be read is named by its file", async () => {
  await using server = await TestServer.start({ arguments: ["--controllers="] });
  await server.kill();
  await writeFile(join(server.directory, "data/pki/server.crt"), "nonsense");
  await assert.rejects(server.launch(), (error: Error) => {
    assert.match(error.message, /Cannot read the server's certificate .*pki\/server\.crt/);
    return true;
  });
});

test("[SEC-6] secrets and the root's key are encrypted, and keys are exchanged by a restart", async () => {
  const directory = await mkdtemp(join(tmpdir(), "security-encryption-"));
  try {
    const file = join(directory, "encryption.json");
    const key = (name: string) => ({ name, secret: randomBytes(32).toString("base64") });
    const [one, two] = [key("one"), key("two")];
    const configure = async (...providers: object[]) => {
      const resources = [{ resources: ["secrets"], providers }];
      const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
      await writeFile(file, JSON.stringify({ ...head, resources }), { mode: 0o600 });
    };
    await configure({ aesgcm: { keys: [one] } }, { identity: {} });
    await using server = await TestServer.start({
      arguments: ["--controllers=", `--encryption-provider-config=${file}`],
    });
    const password = `pass-${process.pid}-word`;
    await server.call("POST", secrets, { metadata: { name: "s" }, stringData: { password } });
    const onDisk = async () => {
      const store = join(server.directory, "data/store");
      const names = await readdir(store);
      const texts = await Promise.all(names.map((name) => readFile(join(store, name), "latin1")));
      return texts.join("");
    };
    const text = await onDisk();
    assert.ok(!text.includes(Buffer.from(password).toString("base64")), "the password is on disk");
    assert.ok(!text.includes("PRIVATE KEY"), "the root's key is on disk");
    assert.ok(text.includes("k8s:enc:aesgcm:v1:one:"));

    await server.kill();
    await configure({ secretbox: { keys: [two] } }, { aesgcm: { keys: [one] } });
    await server.launch();
    const isRewritten = async () => /encrypted what was stored with other keys/.test(server.output);
    for (const deadline = Date.now() + 60_000; Date.now() < deadline && !(await isRewritten()); ) {
      await sleep(50);
    }
    await server.kill();
    await configure({ secretbox: { keys: [two] } });
    await server.launch();
    const read = await server.call("GET", `${secrets}/s`);
    assert.equal(Buffer.from(read.body.data?.["password"] ?? "", "base64").toString(), password);

    await server.kill();
    await configure({ aesgcm: { keys: [one] } });
    await assert.rejects(server.launch(), /Cannot decrypt .* no key for k8s:enc:secretbox:v1:two:/);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("[SEC-6] [API-4] in etcd secrets are encrypted as well, and an object beyond its limit is told as such", async () => {
  await using etcd = await startEtcd();
  const client = new EtcdClient(etcd.client);
  const directory = await mkdtemp(join(tmpdir(), "security-encryption-"));
  try {
    const file = join(directory, "encryption.json");
    const keys = [{ name: "one", secret: randomBytes(32).toString("base64") }];
    const providers = [{ secretbox: { keys } }, { identity: {} }];
    const resources = [{ resources: ["secrets"], providers }];
    const head = { apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration" };
    await writeFile(file, JSON.stringify({ ...head, resources }), { mode: 0o600 });
    await using server = await TestServer.start({
      store: etcd.storeUrl("/encrypted/"),
      arguments: ["--controllers=", `--encryption-provider-config=${file}`],
    });
    const password = `pass-${process.pid}-word`;
    await server.call("POST", secrets, { metadata: { name: "s" }, stringData: { password } });
    const { kvs } = await client.range({
      key: "/encrypted/",
      rangeEnd: prefixEnd("/encrypted/"),
    });
    const stored = kvs.map(({ value }) => Buffer.from(value).toString("latin1")).join("");
    assert.ok(
      !stored.includes(Buffer.from(password).toString("base64")),
      "the password is in etcd",
    );
    assert.ok(!stored.includes("PRIVATE KEY"), "the root's key is in etcd");
    assert.ok(stored.includes("k8s:enc:secretbox:v1:one:"));
    const read = await server.call("GET", `${secrets}/s`);
    assert.equal(Buffer.from(read.body.data?.["password"] ?? "", "base64").toString(), password);

    for (const [plural, metadata] of Object.entries({
      configmaps: { name: "large" },
      pods: { name: "large" },
    })) {
      const large = await server.call("POST", `/api/v1/namespaces/default/${plural}`, {
        metadata,
        spec: { containers: [{ name: "c", image: "i", args: ["x".repeat(2_000_000)] }] },
        binaryData: { a: Buffer.alloc(750_000).toString("base64") },
        immutable: false,
        data: { b: "y".repeat(1_000_000) },
      });
      assert.ok(large.code === 413 || large.code === 422, `${plural}: ${large.code} ${large.text}`);
    }
  } finally {
    client.close();
    await rm(directory, { recursive: true });
  }
});

test("[SEC-8] [API-4] mistakes of clients are told as such", async () => {
  await using server = await TestServer.start({
    arguments: ["--controllers=", "--cluster-cidr=10.244.0.0/16"],
  });
  const reviews = [
    "authorization.k8s.io/v1/selfsubjectaccessreviews",
    "authorization.k8s.io/v1/subjectaccessreviews",
    "authorization.k8s.io/v1/selfsubjectrulesreviews",
    "authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews",
    "authentication.k8s.io/v1/tokenreviews",
  ];
  for (const path of reviews) {
    const answer = await server.call("POST", `/apis/${path}`, {});
    assert.equal(answer.code, 422, answer.text);
    assert.match(answer.body.message ?? "", /spec: Required value/);
  }

  const nul = await server.call("GET", "/api/v1/namespaces/default/configmaps/a%00b");
  assert.equal(nul.code, 400, nul.text);
  const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  assert.equal((await server.call("POST", roles, { metadata: { name: "a\0b" } })).code, 422);

  const large = await server.call("POST", "/api/v1/namespaces/default/configmaps", {
    metadata: { name: "large", annotations: { a: "x" } },
    binaryData: { a: Buffer.alloc(1_000_000).toString("base64") },
    data: { b: "y".repeat(800_000) },
  });
  assert.ok(large.code === 413 || large.code === 422, large.text);

  const services = "/api/v1/namespaces/default/services";
  const service = (name: string, spec: object) => ({ metadata: { name }, spec });
  const ports = (first: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `p${first + n}`, port: first + n }));
  const most = service("most", { type: "NodePort", ports: ports(1, 126) });
  // One service takes as many ports as fit into a transaction.
  let full = await server.call("POST", services, most);
  for (let n = 0; full.code === 201 && n < 40; n++) {
    full = await server.call("POST", services, { ...most, metadata: { name: `most-${n}` } });
  }
  assert.equal(full.code, 422, full.text);
  assert.match(full.body.message ?? "", /nodePort.*range is full/);

  for (const address of ["10.96.0.10", "10.244.3.4", "127.0.0.1"]) {
    const spec = { ports: [{ port: 80 }], externalIPs: [address] };
    const answer = await server.call("POST", services, service("hijack", spec));
    assert.equal(answer.code, 422, answer.text);
    assert.match(answer.body.message ?? "", /spec\.externalIPs\[0\]/);
  }
});
