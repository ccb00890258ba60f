// A `tandem dns` of its own for a test, beside a `tandem server`, and `dig` to ask it.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCommands } from "../../src/base/host/command.system.ts";
import type { RunningCommand } from "../../src/base/host/command.ts";
import { freePorts } from "../fixtures/etcd-member.ts";
import { TestServer } from "../fixtures/server.ts";

const launcher = new URL("../../bin/tandem", import.meta.url).pathname;
const patience = 60_000;
const commands = systemCommands();

/** Where and how to ask. */
export const ways = (["127.0.0.1", "::1"] as const).flatMap((host) =>
  (["+notcp", "+tcp"] as const).map((protocol) => ({ host, protocol })),
);

export interface Dug {
  /** `NOERROR`, `NXDOMAIN`… */
  readonly status: string;
  readonly flags: readonly string[];
  /** `name TYPE data`, names without the dot at their end. */
  readonly answers: readonly string[];
  readonly authorities: readonly string[];
  readonly additionals: readonly string[];
  readonly text: string;
}

export class DnsServer implements AsyncDisposable {
  readonly api: TestServer;
  readonly port: number;
  readonly #healthPort: number;
  readonly #process: RunningCommand;
  readonly #output: string[];

  private constructor(parts: {
    api: TestServer;
    ports: readonly number[];
    process: RunningCommand;
    output: string[];
  }) {
    this.api = parts.api;
    [this.port = 0, this.#healthPort = 0] = parts.ports;
    this.#process = parts.process;
    this.#output = parts.output;
  }

  /** `OWN` in an argument stands for the port that is served on. */
  static async start(
    args: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<DnsServer> {
    const api = await TestServer.start();
    const ports = await freePorts(2, "127.0.0.1");
    const output: string[] = [];
    const process = await commands.start(
      [
        launcher,
        "dns",
        `--listen=127.0.0.1:${ports[0]},[::1]:${ports[0]}`,
        `--health-address=127.0.0.1:${ports[1]}`,
        `--kubeconfig=${api.kubeconfig}`,
        ...(args.some((arg) => arg.startsWith("--upstream=")) ? [] : ["--resolv-conf="]),
        ...args.map((arg) => arg.replace("OWN", String(ports[0]))),
      ],
      { diesWithParent: true, environment, onLine: (line) => output.push(line) },
    );
    const server = new DnsServer({ api, ports, process, output });
    try {
      await server.until(async () => (await server.health("/readyz")) === "ok");
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
    return server;
  }

  get pid(): number {
    return this.#process.pid;
  }

  get output(): string {
    return this.#output.join("\n");
  }

  async health(path: string): Promise<string> {
    try {
      return await (await fetch(`http://127.0.0.1:${this.#healthPort}${path}`)).text();
    } catch (error) {
      if (error instanceof TypeError) return error.message;
      throw error;
    }
  }

  async until(isSo: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + patience;
    while (!(await isSo())) {
      if (Date.now() > deadline) throw new Error(`Cannot wait any longer:\n${this.output}`);
      await sleep(20);
    }
  }

  async create(path: string, object: object): Promise<void> {
    const { code, text } = await this.api.call("POST", path, object);
    assert.ok(code < 300, text);
  }

  async service(name: string, spec: object): Promise<void> {
    await this.create("/api/v1/namespaces/default/services", { metadata: { name }, spec });
  }

  /** Hand-written endpoints of a service without a selector. */
  async slice(service: string, name: string, content: object): Promise<void> {
    const labels = { "kubernetes.io/service-name": service };
    await this.create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
      metadata: { name, labels },
      ...content,
    });
  }

  async pod(name: string, podIPs: readonly string[], spec: object = {}): Promise<void> {
    const path = "/api/v1/namespaces/default/pods";
    const containers = [{ name: "main", image: "echo" }];
    await this.create(path, { metadata: { name }, spec: { nodeName: "n1", containers, ...spec } });
    const ips = podIPs.map((ip) => ({ ip }));
    const status = { phase: "Running", podIP: podIPs[0], podIPs: ips };
    const type = "application/merge-patch+json";
    const body = JSON.stringify({ status });
    const { code, text } = await this.api.send("PATCH", `${path}/${name}/status`, { body, type });
    assert.equal(code, 200, text);
  }

  /** By the usual ways of a client over UDP and IPv4, if nothing else is said; datagrams may get lost. */
  async dig(name: string, type: string, options: readonly string[] = []): Promise<Dug> {
    const where = options.some((option) => option.startsWith("@")) ? [] : ["@127.0.0.1"];
    const { stdout } = await commands.run(
      ["dig", ...where, "-p", String(this.port), "+time=10", "+tries=3", ...options, name, type],
      { timeoutMs: patience },
    );
    return parseDug(stdout);
  }

  /** Asks until the answer is so. */
  async digUntil(name: string, type: string, isSo: (dug: Dug) => boolean): Promise<Dug> {
    const deadline = Date.now() + patience;
    for (;;) {
      const dug = await this.dig(name, type);
      if (isSo(dug)) return dug;
      if (Date.now() > deadline) throw new Error(`Cannot wait any longer:\n${dug.text}`);
      await sleep(20);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.stop();
    await this.api[Symbol.asyncDispose]();
  }
}

/** What `dig` prints for one question. */
export function parseDug(text: string): Dug {
  const sections: Record<string, string[]> = {};
  let section = "";
  for (const line of text.split("\n")) {
    const heading = /^;; (\w+) SECTION:$/.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    else if (line === "") section = "";
    else if (!line.startsWith(";")) (sections[section] ??= []).push(shorten(line));
  }
  return {
    status: /status: (\w+)/.exec(text)?.[1] ?? "none",
    flags: /flags: ([\w ]*);/.exec(text)?.[1]?.split(" ") ?? [],
    answers: sections["ANSWER"] ?? [],
    authorities: sections["AUTHORITY"] ?? [],
    additionals: sections["ADDITIONAL"] ?? [],
    text,
  };
}

/** Without class and time to live. */
function shorten(line: string): string {
  const [name = "", , , type = "", ...data] = line.split(/\s+/);
  return [name, type, ...data].map((word) => word.replace(/(?<=.)\.$/, "")).join(" ");
}
