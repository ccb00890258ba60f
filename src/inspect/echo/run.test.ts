import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { runEcho } from "./run.ts";

async function echo(...words: readonly string[]) {
  const said = { stdout: "", stderr: "" };
  const code = await runEcho(["--timeout=30s", ...words], {
    environment: {},
    write: (text) => void (said.stdout += text),
    complain: (text) => void (said.stderr += text),
  });
  return { code, ...said };
}

/** A loopback address of this process alone, so that connections of others take none of its ports. */
const host = `127.99.${(process.pid >> 8) & 255}.${process.pid & 255}`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("what is no command is answered with the usage", async () => {
  for (const words of [[], ["fly"], ["get"], ["udp", "localhost:1"], ["serve", "more"]]) {
    const { code, stderr } = await echo(...words);
    assert.equal(code, 2);
    assert.match(stderr, /^Usage: tandem-echo serve/);
  }
});

test("help is given to who asks for it", async () => {
  for (const words of [["--help"], ["serve", "--help"], ["help"]]) {
    const { code, stdout, stderr } = await echo(...words);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^Usage: tandem-echo serve/);
    for (const flag of ["http-port", "udp-port", "listen", "timeout", "source"]) {
      assert.match(stdout, new RegExp(`^  --${flag} `, "m"));
    }
  }
});

test("echo serve names the flag and the value that it cannot use", async () => {
  const listen = async (text: string) => (await echo("serve", `--listen=${text}`)).stderr;
  assert.equal(
    await listen("0.0.0.0:8081"),
    "error: Cannot use --listen 0.0.0.0:8081: expected an address without a port: --listen 0.0.0.0 --http-port 8081 --udp-port 8081\n",
  );
  assert.match(await listen("[::]:80"), /expected an address without a port: --listen \[::\] /);
  assert.match(await listen("web"), /Cannot use --listen web: expected an address such as/);
  assert.match((await echo("serve", "--http-port=x")).stderr, /--http-port x: expected a port/);
  assert.match(
    (await echo("get", "http://localhost/", "--timeout=soon")).stderr,
    /Cannot wait soon/,
  );
  assert.match((await echo("serve", "--fly")).stderr, /^error: Unknown option '--fly'/);
  const refused = await echo("get", "http://127.0.0.1:1/");
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /ECONNREFUSED/);
});

test("it answers itself, and says when it is not ready", async () => {
  const port = await freePort();
  const at = `http://${host}:${port}`;
  const stopped = new AbortController();
  const ports = [`--http-port=${port}`, `--udp-port=${port}`, `--listen=${host}`];
  const serving = runEcho(["serve", ...ports], {
    environment: { POD_NAME: "me" },
    write: assert.fail,
    complain: assert.fail,
    signal: stopped.signal,
  });
  while ((await echo("get", `${at}/healthz`)).code !== 0) await new Promise(setImmediate);
  assert.equal((await echo("get", `${at}/hostname`)).stdout, "me\n");
  await fetch(`${at}/ready?value=false`, { method: "POST" });
  assert.deepEqual(await echo("get", `${at}/healthz`), {
    code: 1,
    stdout: "not ready\n",
    stderr: "",
  });
  const { body } = (await (await fetch(at, { method: "PUT", body: "words" })).json()) as {
    body: string;
  };
  assert.equal(body, "words");
  assert.match((await echo("udp", `${host}:${port}`, "hello")).stdout, /"text":"hello"/);
  stopped.abort();
  assert.equal(await serving, 0);
});

test("reach tells a port that answers, one that refuses, and what is no place", async () => {
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const closed = await freePort();
  const places = [`tcp:${host}:${port}`, `tcp:${host}:${closed}`, `udp:${host}:${closed}`];
  const { code, stdout } = await echo("reach", ...places);
  server.close();
  assert.equal(code, 0);
  const [answers, refuses, refusesDatagrams] = places;
  assert.equal(stdout, `${answers} answered\n${refuses} refused\n${refusesDatagrams} refused\n`);
  const wrong = await echo("reach", "tcp:nobody:80");
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /Cannot reach tcp:nobody:80: expected tcp:ADDRESS:PORT/);
});
