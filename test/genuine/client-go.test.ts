// A client-go program that takes protobuf alone, built from Go modules, against our API server.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startServer } from "../../src/control/apiserver/testing/start.ts";

const run = promisify(execFile);
const build = new URL("client-go/build", import.meta.url).pathname;
const timeout = 600_000;

async function program(): Promise<string> {
  return (await run(build, { timeout })).stdout.trim();
}

test("[API-1] [API-12] client-go in protobuf lists, watches, writes and reads errors", {
  timeout,
}, async () => {
  const binary = await program();
  await using server = await startServer();
  const directory = await mkdtemp(join(tmpdir(), "client-go-"));
  try {
    const kubeconfig = join(directory, "kubeconfig");
    await writeFile(kubeconfig, kubeconfigOf(server));
    const { stdout } = await run(binary, ["exercise", kubeconfig, "default"], { timeout: 120_000 });
    assert.partialDeepStrictEqual(JSON.parse(stdout), {
      created: "v",
      informed: true,
      listed: 1,
      missing: true,
      invalid: true,
      exact: true,
      deleted: "genuine",
      metadata: 1,
    });
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("[API-1] the recorded bytes are those that client-go writes", { timeout }, async () => {
  const { stdout } = await run(await program(), ["fixtures"]);
  const file = new URL("../../src/api/protobuf/testdata/answers.jsonl", import.meta.url);
  assert.equal(readFileSync(file, "utf8"), stdout);
});

function kubeconfigOf(server: Awaited<ReturnType<typeof startServer>>): string {
  const encode = (text: string) => Buffer.from(text).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [
      {
        name: "c",
        cluster: { server: server.url, "certificate-authority-data": encode(server.authority) },
      },
    ],
    users: [
      {
        name: "u",
        user: {
          "client-certificate-data": encode(server.client.certificate),
          "client-key-data": encode(server.client.key),
        },
      },
    ],
  });
}
