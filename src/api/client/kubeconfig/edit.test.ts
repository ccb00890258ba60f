import assert from "node:assert/strict";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { FakeFiles } from "../../../base/host/files.fake.ts";
import { systemFiles } from "../../../base/host/files.system.ts";
import { mergeKubeconfigFile } from "./edit.ts";

const incoming = `apiVersion: v1
kind: Config
clusters:
  - name: tandem
    cluster:
      server: https://127.0.0.1:6443
users:
  - name: admin
    user:
      token: new
contexts:
  - name: admin@tandem
    context:
      cluster: tandem
      user: admin
current-context: admin@tandem
`;

const existing = `# mine
apiVersion: v1
kind: Config
preferences: {colors: true}
clusters:
  - name: work # do not touch
    cluster:
      server: https://work:6443
      unknown-field: kept
  - name: tandem
    cluster:
      server: https://old:6443
users:
  - name: jane
    user: {token: hers}
contexts:
  - name: work
    context: {cluster: work, user: jane}
  - name: other
    context: {cluster: tandem, user: jane}
current-context: work
`;

test("merging adds what is new, replaces what has the same name, and keeps the rest", async () => {
  const files = new FakeFiles();
  await files.write("/config", existing);
  await mergeKubeconfigFile(files, "/config", incoming);
  assert.equal(
    files.text,
    `0600 /config
  # mine
  apiVersion: v1
  kind: Config
  preferences: { colors: true }
  clusters:
    - name: work # do not touch
      cluster:
        server: https://work:6443
        unknown-field: kept
    - name: tandem
      cluster:
        server: https://127.0.0.1:6443
  users:
    - name: jane
      user: { token: hers }
    - name: admin
      user:
        token: new
  contexts:
    - name: work
      context: { cluster: work, user: jane }
    - name: other
      context: { cluster: tandem, user: jane }
    - name: admin@tandem
      context:
        cluster: tandem
        user: admin
  current-context: admin@tandem`,
  );
});

test("merging twice changes nothing, and into nothing gives the whole", async () => {
  const files = new FakeFiles();
  await mergeKubeconfigFile(files, "/config", incoming);
  const once = files.text;
  await mergeKubeconfigFile(files, "/config", incoming);
  assert.equal(files.text, once);
  assert.deepEqual(parse((await files.read("/config")) ?? ""), parse(incoming));
});

test("a file that cannot be read is left alone", async () => {
  const files = new FakeFiles();
  for (const text of ["clusters: [", "- a"]) {
    await files.write("/config", text);
    await assert.rejects(mergeKubeconfigFile(files, "/config", incoming), /Cannot use \/config: /);
    assert.equal(await files.read("/config"), text);
  }
});

test("on disk the file is the owner's alone, in a directory that may be missing", async () => {
  const directory = await mkdtemp(join(tmpdir(), "kubeconfig-"));
  try {
    const path = join(directory, ".kube", "config");
    await mergeKubeconfigFile(systemFiles, path, incoming);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(join(directory, ".kube"))).mode & 0o777, 0o700);
  } finally {
    await rm(directory, { recursive: true });
  }
});
