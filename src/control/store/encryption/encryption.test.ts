import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { openEmbedded } from "../embedded/open.system.ts";
import { isDamaged } from "../errors.ts";
import type { Store } from "../port.ts";
import { parseEncryption } from "./configuration.ts";
import { encryptedStore } from "./encrypted-store.ts";
import { aesgcm, identity, type Provider, secretbox } from "./providers.ts";
import { open, seal } from "./secretbox.ts";

const secret = (byte: number) => Buffer.alloc(32, byte);

test("[SEC-6] secretbox makes the box of NaCl's own example", () => {
  const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ""), "hex");
  const key = hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389");
  const nonce = hex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37");
  const message = hex(`be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc
    e5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31
    0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde
    048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705`);
  const box = seal(message, nonce, key);
  assert.equal(box.subarray(0, 16).toString("hex"), "f3ffc7703f9400e52a7dfb4b3d3305d9");
  assert.equal(box.subarray(16, 32).toString("hex"), "8e993b9f48681273c29650ba32fc76ce");
  assert.deepEqual(open(box, nonce, key), message);
});

const providers: [string, Provider][] = [
  ["aesgcm", aesgcm("one", secret(1))],
  ["secretbox", secretbox("one", secret(1))],
];
for (const [name, provider] of providers) {
  test(`[SEC-6] ${name}: what is encrypted is read again, and nothing else`, () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat(), (value, place) => {
        const cipher = Buffer.from(provider.encrypt(value, "/a"));
        assert.deepEqual(Buffer.from(provider.decrypt(cipher, "/a")), Buffer.from(value));
        const at = place % cipher.length;
        cipher[at] = (cipher[at] as number) ^ 1;
        assert.throws(() => provider.decrypt(cipher, "/a"));
      }),
    );
  });
}

test("[SEC-6] values are not on disk as they are, and keys are exchanged by rewriting", async () => {
  const directory = await mkdtemp(join(tmpdir(), "encryption-"));
  try {
    const plain = await openEmbedded({ directory });
    let current: readonly Provider[] = [identity];
    const store = encryptedStore(plain, (key) => (key.startsWith("/s/") ? current : []));
    const put = (key: string, text: string) =>
      store.commit({ compare: [], operations: [{ type: "put", key, value: Buffer.from(text) }] });
    const get = async (key: string) => Buffer.from((await store.get(key))?.value ?? []).toString();
    await put("/s/old", "from before");
    current = [aesgcm("one", secret(1)), identity];
    await put("/s/a", "hunter2");
    await put("/t/b", "public");
    const raw = Buffer.from((await plain.get("/s/a"))?.value ?? []).toString("latin1");
    assert.match(raw, /^k8s:enc:aesgcm:v1:one:/);
    assert.equal(await get("/s/a"), "hunter2");
    assert.equal(await get("/s/old"), "from before");

    current = [secretbox("two", secret(2)), aesgcm("one", secret(1)), identity];
    const { signal } = new AbortController();
    assert.equal(await store.rewrite("/", signal), 2);
    assert.equal(await store.rewrite("/", signal), 0);
    current = [secretbox("two", secret(2))];
    assert.equal(await get("/s/a"), "hunter2");
    assert.equal(await get("/s/old"), "from before");
    const values = (await store.list("/s/")).entries.map(({ value }) =>
      Buffer.from(value).toString(),
    );
    assert.deepEqual(values, ["hunter2", "from before"]);

    current = [aesgcm("one", secret(1))];
    await assert.rejects(store.get("/s/a"), (error: Error) => {
      assert.match(
        error.message,
        /^Cannot decrypt \/s\/a: .* no key for k8s:enc:secretbox:v1:two:$/,
      );
      return isDamaged(error);
    });
    await store.compact(await store.revision());
    await store.close();
    const files = await readdir(directory);
    const bytes = await Promise.all(files.map((name) => readFile(join(directory, name), "latin1")));
    assert.doesNotMatch(bytes.join(""), /hunter2/);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("[SEC-6] a value in another's place is refused", () => {
  const provider = aesgcm("one", secret(1));
  const cipher = provider.encrypt(Buffer.from("x"), "/registry/secrets/a/s");
  assert.throws(() => provider.decrypt(cipher, "/registry/secrets/b/s"));
});

test("[SEC-6] a configuration that makes no sense is refused by file and field", () => {
  const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n";
  const refuses = (text: string, message: RegExp) =>
    assert.throws(() => parseEncryption(text, "e.yaml"), { message });
  refuses("kind: Secret", /^Cannot read the encryption configuration e.yaml: it is not/);
  refuses(head, /resources is empty$/);
  const one = (provider: string) =>
    `${head}resources: [{ resources: [secrets], providers: [${provider}] }]`;
  refuses(one("{ rot13: {} }"), /resources\[0\].providers\[0\]: "rot13" is none of/);
  refuses(
    one("{ aesgcm: { keys: [{ name: a, secret: AAAA }] } }"),
    /keys\[0\].secret: it has 3 bytes, not 16 or 24 or 32$/,
  );
  refuses(one("{ secretbox: { keys: [] } }"), /secretbox.keys is empty$/);
  assert.equal(parseEncryption(one("{ identity: {} }"), "e.yaml")[0]?.providers[0], identity);
});

test("[SEC-4] a large store is looked through in many turns", async () => {
  const pages = 5;
  let turns = 0;
  const inner = {
    list: async (_prefix: string, { after = "0" }: { after?: string } = {}) => {
      // A turn of others, which comes only if this one ends.
      setImmediate(() => turns++);
      const number = Number(after) + 1;
      const entry = { key: String(number), value: Buffer.from("{}"), modified: 1, created: 1 };
      return { entries: [entry], more: number < pages, revision: 1 };
    },
  } as unknown as Store;
  await encryptedStore(inner, () => []).rewrite("/", new AbortController().signal);
  assert.equal(turns, pages - 1);
});
