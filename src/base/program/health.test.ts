import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type HealthCheck, untilStopped } from "./health.ts";
import { type HealthServer, healthOptions, openHealthServer } from "./health-server.system.ts";
import { Registry } from "./metrics.ts";
import { parseOptions } from "./parse-options.ts";

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends a request; `at` is an address as the server reports it: `127.0.0.1:80`, `[::1]:80`, `unix:/path`. */
async function ask(at: string, path: string, method = "GET"): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(at) ?? [];
  const target = at.startsWith("unix:") ? { socketPath: at.slice("unix:".length) } : { host, port };
  const asked = request({ ...target, path, method, agent: false }, (response) => {
    let text = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => (text += chunk));
    response.on("end", () =>
      resolve({
        status: response.statusCode ?? 0,
        type: response.headers["content-type"] ?? "",
        text,
      }),
    );
    response.on("error", reject);
  });
  asked.on("error", reject);
  asked.end();
  return promise;
}

const ok = (name: string): HealthCheck => ({ name, check: () => undefined });

describe("a health server", () => {
  const stop = new AbortController();
  const stopping = new AbortController();
  let broken: string | undefined;
  let server: HealthServer;
  let running: Promise<void>;
  let at: string;

  before(async () => {
    const metrics = new Registry();
    metrics.counter("asked_total", { help: "Asked." }).increment();
    const store: HealthCheck = {
      name: "store",
      async check() {
        if (broken !== undefined) throw new Error(broken);
      },
    };
    server = await openHealthServer({
      listen: [{ host: "localhost", port: 0 }],
      live: [ok("ping")],
      ready: [store, untilStopped(stopping.signal)],
      metrics,
    });
    running = server.run(stop.signal);
    at = server.addresses[0] ?? "";
  });
  after(async () => {
    stop.abort();
    await running;
    await assert.rejects(ask(at, "/healthz"), { code: "ECONNREFUSED" });
  });

  test("answers on the loopback of both families, with one port", async () => {
    assert.match(server.addresses.join(), /^\[::1\]:(\d+),127\.0\.0\.1:\1$/);
    for (const address of server.addresses) {
      assert.deepEqual(await ask(address, "/healthz"), {
        status: 200,
        type: "text/plain; charset=utf-8",
        text: "ok",
      });
    }
  });

  test("lists its checks when asked", async () => {
    const { text } = await ask(at, "/readyz?verbose");
    assert.equal(text, "[+]ping ok\n[+]store ok\n[+]shutdown ok\nreadyz check passed\n");
    assert.equal((await ask(at, "/livez?verbose")).text, "[+]ping ok\nlivez check passed\n");
  });

  test("is alive but not ready while a check fails, and says which", async () => {
    broken = "Cannot reach etcd";
    try {
      const { status, text } = await ask(at, "/readyz");
      assert.equal(status, 503);
      assert.equal(
        text,
        "[+]ping ok\n[-]store failed: Cannot reach etcd\n[+]shutdown ok\nreadyz check failed\n",
      );
      assert.equal((await ask(at, "/livez")).status, 200);
      assert.equal((await ask(at, "/readyz?exclude=store")).status, 200);
      assert.equal((await ask(at, "/readyz/store")).status, 503);
      assert.equal((await ask(at, "/readyz/ping")).status, 200);
    } finally {
      broken = undefined;
    }
  });

  test("serves metrics as Prometheus text", async () => {
    const { type, text } = await ask(at, "/metrics");
    assert.equal(type, "text/plain; version=0.0.4; charset=utf-8");
    assert.match(text, /^asked_total 1$/m);
  });

  test("answers 404 to every other path and 405 to other methods", async () => {
    for (const path of ["/", "/healthzz", "/readyz/nothing", "/readyz/a/b", "/metrics/x"]) {
      assert.equal((await ask(at, path)).status, 404, path);
    }
    assert.equal((await ask(at, "/healthz", "POST")).status, 405);
    assert.deepEqual((await ask(at, "/healthz", "HEAD")).text, "");
  });

  test("is not ready any more once it has been asked to stop", async () => {
    stopping.abort(new Error("stopping"));
    assert.match((await ask(at, "/readyz")).text, /\[-\]shutdown failed: stopping/);
  });
});

test("a check that hangs fails, and is told to give up", async () => {
  const { promise: givenUp, resolve } = Promise.withResolvers<void>();
  const hang: HealthCheck = {
    name: "hang",
    check(signal) {
      signal.addEventListener("abort", () => resolve());
      return new Promise(() => {});
    },
  };
  await withServer({ live: [hang], timeoutMs: 20, withholdReasons: true }, async (at) => {
    assert.match((await ask(at, "/livez")).text, /\[-\]hang failed: reason withheld/);
    await givenUp;
  });
  await withServer({ live: [hang], timeoutMs: 20 }, async (at) => {
    assert.match((await ask(at, "/livez")).text, /\[-\]hang failed: no answer within 20 ms/);
  });
});

test("health is served on a Unix socket, too", async () => {
  const directory = await mkdtemp(join(tmpdir(), "tandem-health-"));
  try {
    const path = join(directory, "health.sock");
    await withServer({ live: [ok("ping")], listen: [{ path }] }, async (at) => {
      assert.equal(at, `unix:${path}`);
      assert.equal((await ask(at, "/livez")).text, "ok");
    });
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("the option defaults to the loopback, and can switch it off", async () => {
  const parse = async (argv: string[]) =>
    (await parseOptions(healthOptions(10256), { argv, env: {} })).values.healthAddress;
  assert.deepEqual(await parse([]), [{ host: "localhost", port: 10256 }]);
  assert.deepEqual(await parse(["--health-address="]), []);
  const stop = new AbortController();
  const silent = await openHealthServer({ listen: [] });
  const running = silent.run(stop.signal);
  stop.abort();
  await running;
  assert.deepEqual(silent.addresses, []);
});

async function withServer(
  options: Partial<Parameters<typeof openHealthServer>[0]>,
  use: (at: string) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const server = await openHealthServer({ listen: [{ host: "127.0.0.1", port: 0 }], ...options });
  const running = server.run(stop.signal);
  try {
    await use(server.addresses[0] ?? "");
  } finally {
    stop.abort();
    await running;
  }
}
