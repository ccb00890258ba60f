// This project's client at a server that a test has started.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../../src/api/client/client.ts";
import { connect } from "../../src/api/client/connect.ts";
import { unanswered } from "../../src/api/client/errors.ts";
import { loadAccess } from "../../src/api/client/kubeconfig/load.ts";
import type { Transport } from "../../src/api/client/transport/message.ts";
import { systemClock } from "../../src/base/host/clock.system.ts";
import { systemCommands } from "../../src/base/host/command.system.ts";
import { systemFiles } from "../../src/base/host/files.system.ts";
import { systemRandom } from "../../src/base/host/random.system.ts";
import { createLog } from "../../src/base/program/log.ts";

export const clock = systemClock;
export const random = systemRandom;
export const silent = createLog({ format: "text", write: () => undefined });

/** Closes its connections with the scope it is in. */
export async function clientOf(kubeconfig: string): Promise<Client & Disposable> {
  const machine = { files: systemFiles, commands: systemCommands(), clock, environment: {} };
  const access = await loadAccess(machine, { file: kubeconfig });
  const client = connect(access, { component: "compat", clock, random });
  return Object.assign(client, { [Symbol.dispose]: () => client.transport.close() });
}

/** A way to the server that can be shut, without the server's knowledge. */
export class Gate implements Transport {
  isShut = false;
  readonly client: Client;
  readonly #transport: Transport;

  constructor({ transport }: Client) {
    this.#transport = transport;
    this.client = new Client(this, { fieldManager: "compat" });
  }

  readonly send: Transport["send"] = (request) => this.#pass(() => this.#transport.send(request));
  readonly open: Transport["open"] = (request) => this.#pass(() => this.#transport.open(request));
  readonly upgrade: Transport["upgrade"] = (request) =>
    this.#pass(() => this.#transport.upgrade(request));

  close(): void {
    this.#transport.close();
  }

  async #pass<T>(carryOut: () => Promise<T>): Promise<T> {
    if (!this.isShut) return await carryOut();
    throw unanswered("pass", { reason: "Unreachable", state: "the gate is shut" });
  }
}

export async function eventually(what: string, isSo: () => boolean | Promise<boolean>) {
  const deadline = Date.now() + 30_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) assert.fail(`${what} has not come about`);
    await sleep(10);
  }
}
