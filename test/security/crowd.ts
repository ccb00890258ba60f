// Ten ordinary users who send the worst requests they can, all at once.

import { Agent, request as httpsRequest } from "node:https";
import { defined } from "../../src/base/json/defined.ts";
import type { TestServer } from "../fixtures/server.ts";
import type { WorstKind, WorstRequest } from "./worst-requests.ts";

export interface Sender {
  readonly namespace: string;
  readonly token: string;
}

export const senders: readonly Sender[] = Array.from({ length: 10 }, (_, n) => ({
  namespace: `crowd-${n}`,
  token: `crowd-token-${n}`,
}));

/** A file of tokens for `--token-file`, with a node among them. */
export function tokenFile(): string {
  const users = senders.map(({ namespace, token }) => `${token},${namespace},,`);
  return [...users, 'node-token,system:node:steady,,"system:nodes"'].join("\n");
}

/** Gives each sender a namespace and the rights of its administrator. */
export async function prepareCrowd(server: TestServer): Promise<void> {
  for (const { namespace } of senders) {
    await server.call("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    await server.call(
      "POST",
      `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`,
      {
        metadata: { name: "crowd" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "admin" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: namespace }],
      },
    );
  }
}

export class Crowd {
  readonly codes = new Map<number, number>();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 200 });
  readonly #server: TestServer;
  readonly #bodies = new Map<string, Buffer>();

  readonly #senders: readonly Sender[];

  constructor(server: TestServer, some: readonly Sender[] = senders) {
    this.#server = server;
    this.#senders = some;
  }

  /** Each sender sends so many requests, of all kinds in turn, a few at a time. */
  async send(
    kinds: readonly WorstKind[],
    { each, atOnce }: { each: number; atOnce: number },
  ): Promise<void> {
    await Promise.all(this.#senders.map((sender) => this.#prepare(kinds, sender)));
    await Promise.all(
      this.#senders.flatMap((sender, offset) => {
        let next = 0;
        const work = async () => {
          for (let round = next++; round < each; round = next++) {
            const kind = kinds[(round + offset) % kinds.length] as WorstKind;
            const key = `${kind.name} ${sender.namespace}`;
            await this.ask(kind.request(sender.namespace, round), sender.token, key);
          }
        };
        return Array.from({ length: atOnce }, work);
      }),
    );
    this.#agent.destroy();
  }

  /** Several kinds need the same object. */
  async #prepare(kinds: readonly WorstKind[], { namespace, token }: Sender): Promise<void> {
    const needed = kinds.flatMap(({ before }) => before?.(namespace) ?? []);
    const bodies = new Map(needed.map((one) => [String(one.body).slice(0, 200), one]));
    for (const one of bodies.values()) await this.ask(one, token);
  }

  async ask(one: WorstRequest, token: string, key?: string): Promise<number> {
    const body = key === undefined ? bytes(one) : (this.#bodies.get(key) ?? bytes(one));
    if (key !== undefined && body !== undefined) this.#bodies.set(key, body);
    const code = await new Promise<number>((resolve, reject) => {
      const outgoing = httpsRequest(
        {
          host: "127.0.0.1",
          port: this.#server.port,
          ca: this.#server.tls.ca,
          agent: this.#agent,
          method: one.method,
          path: one.path,
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": one.type,
            ...defined({ accept: one.accept, "content-length": body?.length }),
          },
        },
        (answer) => {
          answer.resume();
          answer.on("end", () => resolve(answer.statusCode ?? 0));
          answer.on("error", reject);
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body);
    });
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
    return code;
  }
}

function bytes({ body }: WorstRequest): Buffer | undefined {
  return typeof body === "string" ? Buffer.from(body) : body;
}
