// Registers this machine as a Node object, and keeps its status current.

import { isAlreadyExists, isNotFound } from "../../api/client/errors.ts";
import type { Informer } from "../../api/client/informer.ts";
import type { ResourceClient } from "../../api/client/resource-client.ts";
import { servicesConditions } from "../../api/kinds/node-conditions.ts";
import type { Node, NodeCondition, NodeStatus } from "../../api/types/core.ts";
import type { Clock } from "../../base/host/clock.ts";
import { sameJson } from "../../base/json/value.ts";
import type { Log } from "../../base/program/log.ts";
import type { Part } from "../../base/program/run-all.ts";
import { type Finding, findingsOf, mergeConditions } from "./conditions.ts";
import { type NodeDescription, nodeDraft, nodePatch, nodeStatus } from "./description.ts";
import type { Supplies } from "./machine.ts";
import { Wakeup } from "./wakeup.ts";

interface Options {
  readonly nodes: ResourceClient<Node>;
  readonly informer: Informer<Node>;
  readonly description: NodeDescription;
  readonly supplies: () => Promise<Supplies>;
  /** Returns what keeps the node from running pods, in words; empty when it is ready. */
  readonly missing: () => readonly string[];
  /** Returns what is known of services in the kernel; undefined while that is too early to tell. */
  readonly services?: () => readonly Finding[] | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

interface Told {
  readonly status: NodeStatus;
  readonly findings: readonly Finding[];
  readonly uid: string;
  readonly at: number;
}

const lookMs = 10_000;
const tellMs = 300_000;
const retryMs = 1_000;
const startingMs = 20_000;

export class NodeRegistration implements Part {
  readonly name = "registration";
  readonly #options: Options;
  readonly #wakeup: Wakeup;
  readonly #registered = Promise.withResolvers<Node>();
  #node: Node | undefined;
  #told: Told | undefined;
  #startedAt = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#wakeup = new Wakeup(options.clock);
  }

  /** Returns the last seen Node object; waits until there is one. */
  async node(): Promise<Node> {
    return this.#node ?? (await this.#registered.promise);
  }

  /** Updates the status at once, since the result of `missing` may have changed. */
  refresh(): void {
    this.#wakeup.call();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { informer, description, clock, log } = this.#options;
    this.#startedAt = clock.monotonic();
    const leave = informer.subscribe((name) => {
      if (name === description.name) this.#observe();
    });
    try {
      for (;;) {
        let pause = lookMs;
        try {
          await this.#tell(signal);
        } catch (error) {
          signal.throwIfAborted();
          log.warn("Cannot keep the node registered", { error, node: description.name });
          pause = retryMs;
        }
        await this.#wakeup.sleep(pause, signal);
      }
    } finally {
      leave();
    }
  }

  /**
   * Updates the last seen Node object. Others may have deleted it, or written its Ready condition; then the
   * status is reported again.
   */
  #observe(): void {
    const { informer, description } = this.#options;
    const seen = informer.get(description.name);
    if (seen === undefined) this.#node = undefined;
    else this.#node = seen;
    const isAllocatable = seen !== undefined && extendedOf(seen.status).isAllocatable;
    if (seen === undefined || !this.#isHeard(seen) || !isAllocatable) this.#wakeup.call();
  }

  async #tell(signal: AbortSignal): Promise<void> {
    const { nodes, description, supplies, missing, services, clock } = this.#options;
    const node = this.#node ?? (await this.#register(signal));
    if (missing().length > 0 && this.#isStartingAgain(node)) return;
    const now = await supplies();
    const ofServices = services?.();
    const findings = [...findingsOf(now, missing()), ...(ofServices ?? [])];
    const status = withExtended(nodeStatus(description, now), node.status);
    const { uid = "" } = node.metadata;
    const isOld = clock.monotonic() - (this.#told?.at ?? 0) >= tellMs;
    const isSame =
      this.#told?.uid === uid &&
      sameJson([this.#told.status, this.#told.findings], [status, findings]);
    if (isSame && !isOld && this.#isHeard(node)) return;
    const { addresses = [], ...rest } = status;
    const present = node.status?.conditions ?? [];
    const gone = ofServices === undefined ? [] : leftOver(present, findings);
    const others = present.filter((condition) => !gone.includes(condition));
    const conditions = mergeConditions(others, findings, new Date(clock.now()));
    const removed = gone.map(({ type, status: was }) => ({ $patch: "delete", type, status: was }));
    // The list is replaced as a whole: merged by type, an address would replace the one of the other family.
    const whole = [{ $patch: "replace" }, ...addresses];
    const strategic = {
      status: { ...rest, addresses: whole, conditions: [...conditions, ...removed] },
    };
    try {
      this.#node = await nodes.patchStatus({ name: description.name }, { strategic }, { signal });
      this.#report(findings);
      this.#told = { status, findings, uid, at: clock.monotonic() };
    } catch (error) {
      if (isNotFound(error)) this.#node = undefined;
      throw error;
    }
  }

  #report(findings: readonly Finding[]): void {
    const { description, missing, log } = this.#options;
    const now = readyOf(findings);
    if (now === readyOf(this.#told?.findings)) return;
    const node = description.name;
    if (now === "True") log.info("the node is ready", { node });
    else log.info("the node is not ready", { node, missing: missing().join("; ") });
  }

  /** Whether a restarted agent is still starting: it is soon ready, so the node stays reported as ready. */
  #isStartingAgain(node: Node): boolean {
    const { clock } = this.#options;
    const isRecent = clock.monotonic() - this.#startedAt < startingMs;
    return this.#told === undefined && isRecent && readyOf(node.status?.conditions) === "True";
  }

  /** Whether the node's Ready condition is the one reported last. */
  #isHeard(node: Node): boolean {
    return readyOf(node.status?.conditions) === readyOf(this.#told?.findings);
  }

  async #register(signal: AbortSignal): Promise<Node> {
    const { nodes, description, log } = this.#options;
    const { name } = description;
    try {
      const created = await nodes.create(nodeDraft(description), { signal });
      log.info("registered the node", { node: name });
      return this.#found(created);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const present = await nodes.get({ name }, { signal });
    const merge = nodePatch(present, description);
    return this.#found(
      merge === undefined ? present : await nodes.patch({ name }, { merge }, { signal }),
    );
  }

  #found(node: Node): Node {
    this.#node = node;
    this.#registered.resolve(node);
    return node;
  }
}

/** Adds resources that others have given to the node: what it has of them is what pods may have. */
function withExtended(status: NodeStatus, present: NodeStatus | undefined): NodeStatus {
  const { amounts, gone } = extendedOf(present);
  const removed = Object.fromEntries(gone.map((name) => [name, null])) as Record<string, never>;
  return { ...status, allocatable: { ...status.allocatable, ...amounts, ...removed } };
}

/** Returns the extended resources of a node, and those that it does not have any more. */
function extendedOf({ capacity = {}, allocatable = {} }: NodeStatus = {}) {
  const names = Object.keys(capacity).filter((name) => name.includes("/"));
  const gone = Object.keys(allocatable).filter(
    (name) => name.includes("/") && !Object.hasOwn(capacity, name),
  );
  const amounts = Object.fromEntries(names.map((name) => [name, capacity[name] ?? "0"]));
  const isAllocatable =
    gone.length === 0 && names.every((name) => allocatable[name] === capacity[name]);
  return { amounts, gone, isAllocatable };
}

/** Returns the conditions of services in families that the node does not serve any more. */
function leftOver(
  present: readonly NodeCondition[],
  findings: readonly Finding[],
): readonly NodeCondition[] {
  const told = new Set(findings.map(({ type }) => type));
  return present.filter(({ type }) => servicesConditions.includes(type) && !told.has(type));
}

function readyOf(conditions: readonly Finding[] | undefined): string | undefined {
  return conditions?.find(({ type }) => type === "Ready")?.status;
}
