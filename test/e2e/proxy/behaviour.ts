// What every backend must do over time: spread, remember clients, and change under traffic.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { systemConntrack } from "../../../src/base/host/conntrack.system.ts";
import { type Family, families } from "../../../src/base/net/family.ts";
import { type FlowCleaner, flowCleaner } from "../../../src/node/proxy/flows/clean-flows.ts";
import { systemFlows } from "../../../src/node/proxy/flows/flows.system.ts";
import type { DesiredState } from "../../../src/node/proxy/plan/desired-state.ts";
import {
  addressOf,
  frontendsOf,
  openState,
  type Party,
  put,
  service,
  settingsOf,
  slices,
} from "../../../src/node/proxy/plan/testing/scenario.ts";
import type { Proxier } from "../../../src/node/proxy/proxier.ts";
import type { Limits, OpenProxier } from "./contract.ts";
import { type Lab, patience } from "./lab.ts";

const ports = [
  { name: "t", port: 80, protocol: "TCP" as const, nodePort: 30080 },
  { name: "u", port: 80, protocol: "UDP" as const, nodePort: 30080 },
];
const targets = {
  ports: [
    { name: "t", port: 8080, protocol: "TCP" as const },
    { name: "u", port: 8080, protocol: "UDP" as const },
  ],
};
const [two, three] = [slices(["a", "b"], targets), slices(["a", "b", "c"], targets)];
const sticky = (timeoutSeconds: number) => ({
  sessionAffinity: "ClientIP" as const,
  sessionAffinityConfig: { clientIP: { timeoutSeconds } },
});

export function behaviourContract(
  kind: string,
  lab: Lab,
  { open, lacks = [] }: { readonly open: OpenProxier } & Limits,
): void {
  for (const family of families) {
    describe(`${kind}, ${family}`, { timeout: 120_000 * patience }, () => {
      const behaviours = new Behaviours(lab, { family, open });
      for (const [name, behave] of Object.entries(behaviours.all)) {
        if (!lacks.some((words) => name.includes(words))) test(name, behave);
      }
    });
  }
}

class Behaviours {
  readonly #lab: Lab;
  readonly #family: Family;
  readonly #open: OpenProxier;

  constructor(lab: Lab, { family, open }: { family: Family; open: OpenProxier }) {
    this.#lab = lab;
    this.#family = family;
    this.#open = open;
  }

  get all(): Readonly<Record<string, () => Promise<void>>> {
    return {
      "[PROXY-2] connections spread evenly": () => this.#spread(),
      "[PROXY-2] a client stays with its endpoint": () => this.#affinity(),
      "[PROXY-2] a client is forgotten after its time": () => this.#forgetting(),
      "[PROXY-6] nothing leads to an endpoint that is gone": () => this.#removal(),
      "[PROXY-6] connections outlive changes": () => this.#established(),
    };
  }

  async #spread(): Promise<void> {
    const count = patience === 1 ? 600 : 150;
    await using running = await this.#start(service({ type: "NodePort" as const, ports }), three);
    for (const protocol of ["tcp", "udp"] as const) {
      for (const place of ["cluster:80", "node:30080"]) {
        const names = await running.names("client", place, { protocol, count });
        const seen = ["a", "b", "c"].map((name) => names.filter((one) => one === name).length);
        const expected = count / seen.length;
        const square = seen.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0);
        // With two degrees of freedom chance exceeds this once in 10⁹ times.
        assert(square < 41.4, `${protocol} to ${place}: ${seen.join(", ")}`);
      }
    }
  }

  async #affinity(): Promise<void> {
    // So many clients and ports do not choose the same of four by chance.
    const more = { name: "m", protocol: "TCP" as const };
    const web = service({
      ...sticky(600),
      type: "NodePort" as const,
      ports: [...ports, { ...more, port: 81, nodePort: 30081 }],
    });
    const all = { ports: [...targets.ports, { ...more, port: 8001 }] };
    await using running = await this.#start(web, slices(["a", "b", "c", "d"], all));
    const places = [
      ...["cluster:80", "node:30080"].flatMap((place) =>
        (["tcp", "udp"] as const).map((protocol) => ({ place, protocol })),
      ),
      ...["cluster:81", "node:30081"].map((place) => ({ place, protocol: "tcp" as const })),
    ];
    const clients = ["client", "stranger", "pod", "peer", "node"] as const;
    const ask = async (): Promise<readonly string[]> => {
      const answers: string[] = [];
      for (const from of clients) {
        for (const { place, protocol } of places) {
          const names = await running.names(from, place, { protocol, count: 6 });
          assert.equal(new Set(names).size, 1, `${from} to ${place}: ${names.join(" ")}`);
          answers.push(names[0] ?? "");
        }
      }
      return answers;
    };
    const before = await ask();
    assert(new Set(before).size > 1, "not everyone is led to the same endpoint");
    await running.change(slices(["a", "b", "c"], all));
    const without = await ask();
    for (const [n, name] of before.entries()) {
      if (name !== "d") assert.equal(without[n], name, "who had another endpoint keeps it");
      else assert.notEqual(without[n], "d");
    }
    await running.change(slices(["a", "b", "c", "d"], all));
    await running.replace();
    assert.deepEqual(await ask(), without, "neither a newcomer nor a new table moves anyone");
  }

  async #forgetting(): Promise<void> {
    await using running = await this.#start(service({ ...sticky(1), ports }), two);
    const seen = new Set<string>();
    const deadline = AbortSignal.timeout(60_000);
    while (seen.size < 2) {
      deadline.throwIfAborted();
      const names = await running.names("client", "cluster:80", { protocol: "tcp", count: 3 });
      for (const name of names) seen.add(name);
      await setTimeout(1200);
    }
  }

  async #removal(): Promise<void> {
    await using running = await this.#start(service({ type: "NodePort" as const, ports }), two);
    for (const backends of [
      ["a"],
      ["b"],
      ["a", "b"],
      ["b", "c"],
      ["c"],
      ["a", "b", "c"],
    ] as const) {
      await running.change(slices(backends, targets));
      for (const protocol of ["tcp", "udp"] as const) {
        for (const place of ["cluster:80", "node:30080"]) {
          const names = await running.names("client", place, { protocol, count: 12 });
          for (const name of names) assert(backends.includes(name as never), `${name} is gone`);
        }
      }
    }
    await running.change(slices([], targets));
    const findings = await running.names("client", "cluster:80", { protocol: "tcp", count: 2 });
    assert.deepEqual(findings, ["ECONNREFUSED", "ECONNREFUSED"]);
  }

  async #established(): Promise<void> {
    await using running = await this.#start(service({ type: "NodePort" as const, ports }), two);
    const senders = ["client", "pod", "node"] as const;
    const talk = async (say: string): Promise<void> => {
      for (const from of senders) {
        for (const place of ["cluster:80", "node:30080"]) {
          assert.match(await running.talk(from, place, say), new RegExp(`${say}$`));
        }
      }
    };
    await talk("one");
    await running.change([
      service({ name: "other", cluster: ["other"] }),
      ...slices(["c"], { of: "other" }),
    ]);
    await talk("two");
    await running.change(slices(["a", "b", "c"], targets));
    await talk("three");
    await running.replace();
    await talk("four");
    await running.change(slices(["c"], targets));
    await talk("even when the endpoint is on its way out");
  }

  async #start(
    web: ReturnType<typeof service>,
    backends: ReturnType<typeof slices>,
  ): Promise<Running> {
    const state = openState();
    put(state, [web, ...backends]);
    const running = new Running(this.#lab, {
      family: this.#family,
      state,
      proxier: this.#open(settingsOf(this.#family), this.#lab.node),
    });
    await this.#lab.forgetFlows(this.#family);
    await running.replace();
    return running;
  }
}

let talks = 0;

class Running {
  readonly #lab: Lab;
  readonly #family: Family;
  readonly #state: DesiredState;
  readonly #proxier: Proxier;
  /** A client may happen to use a port again, which belongs to an old flow then. */
  readonly #cleaner: FlowCleaner;
  readonly #talk = talks++;

  constructor(
    lab: Lab,
    { family, state, proxier }: { family: Family; state: DesiredState; proxier: Proxier },
  ) {
    this.#lab = lab;
    this.#family = family;
    this.#state = state;
    this.#proxier = proxier;
    this.#cleaner = flowCleaner({
      flows: systemFlows(lab.node),
      conntrack: systemConntrack(lab.node),
      settings: settingsOf(family),
      table: state.tables[family],
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxier.remove();
  }

  async replace(): Promise<void> {
    this.#state.takeChange();
    const frontends = frontendsOf(this.#state, this.#family);
    await this.#proxier.replace(frontends);
  }

  async change(objects: Parameters<typeof put>[1]): Promise<void> {
    put(this.#state, objects);
    const delta = this.#state.takeChange().deltas[this.#family];
    await this.#proxier.apply(delta);
    await this.#cleaner.clean(new Map([...delta].map(([key, { after }]) => [key, after])));
  }

  /** Who has answered, connection for connection. */
  async names(
    from: Party,
    place: string,
    options: { protocol: "tcp" | "udp"; count: number },
  ): Promise<readonly string[]> {
    const findings = await this.#lab.ask(from, {
      ...options,
      ...this.#place(place),
      ...((from === "client" || from === "stranger") && {
        source: addressOf(from, this.#family).toString(),
      }),
      timeoutMs: 30_000 * patience,
    });
    return findings.map((finding) => finding.split(":")[0] ?? finding);
  }

  /** Says something over one connection to that place, and returns what comes back. */
  async talk(from: Party, place: string, say: string): Promise<string> {
    const over = `${this.#talk} ${place}`;
    const task = { over, say, timeoutMs: 30_000 * patience, ...this.#place(place) };
    return (await this.#lab.ask(from, task))[0] ?? "";
  }

  #place(place: string): { address: string; port: number } {
    const [party = "", port = ""] = place.split(":");
    return { address: addressOf(party as Party, this.#family).toString(), port: Number(port) };
  }
}
