// An in-memory API for tests of client users: objects, versions, watches and conflicts as a server has them,
// without any knowledge of kinds.

import { Client } from "../client.ts";
import type {
  ApiAnswer,
  ApiRequest,
  ApiStream,
  ApiUpgrade,
  Transport,
} from "../transport/message.ts";
import { type Change, ObjectStore } from "./store.ts";
import { Stream } from "./stream.ts";
import { isSelected, parseTarget, type Target } from "./target.ts";
import { answer, refusal } from "./verbs.ts";

export class FakeApi implements Transport {
  readonly client: Client = new Client(this, { fieldManager: "fake" });
  /** The requests so far: `GET /api/v1/pods?limit=500`. */
  readonly asked: string[] = [];
  /** Called before each request; an error that it returns is thrown. */
  fault: (request: ApiRequest) => Error | undefined = () => undefined;
  readonly #watchers = new Map<Stream, Target>();
  readonly #store = new ObjectStore((change) => this.#tell(change));

  get version(): number {
    return this.#store.version;
  }

  get watches(): number {
    return this.#watchers.size;
  }

  /** Ends all watches: cleanly, as a server that stops does, or with an error, as one that dies. */
  endWatches(error?: Error): void {
    for (const stream of this.#watchers.keys()) stream.end(error);
  }

  /** Compacts history: watches from earlier versions fail with "gone". */
  compact(): void {
    this.#store.compact();
  }

  /** Sends a bookmark to all watchers. */
  bookmark(): void {
    for (const stream of this.#watchers.keys()) stream.push(this.#bookmarkLine());
  }

  async send(request: ApiRequest): Promise<ApiAnswer> {
    const target = this.#begin(request);
    const result = answer(this.#store, request, target);
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(result)) };
  }

  async open(request: ApiRequest): Promise<ApiStream> {
    const target = this.#begin(request);
    const { query, collection } = target;
    const stream = new Stream(() => this.#watchers.delete(stream));
    const version = query.get("resourceVersion") ?? "";
    const past = version === "" ? undefined : this.#store.since(Number(version));
    if (version !== "" && past === undefined) {
      throw refusal(request, 410, "Expired", `too old resource version: ${version}`);
    }
    if (past === undefined) {
      for (const object of this.#store.list(collection)) {
        if (isSelected(object, target)) stream.push(line("ADDED", object));
      }
      if (query.get("sendInitialEvents") === "true") stream.push(this.#bookmarkLine(true));
    }
    for (const change of past ?? []) tell(stream, target, change);
    this.#watchers.set(stream, target);
    request.signal?.addEventListener("abort", () => stream.end(request.signal?.reason as Error));
    return { status: 200, headers: {}, body: stream };
  }

  async upgrade(request: ApiRequest): Promise<ApiUpgrade> {
    throw refusal(request, 501, "NotImplemented", "the fake upgrades nothing");
  }

  close(): void {
    this.endWatches(new Error("closed"));
  }

  #begin(request: ApiRequest): Target {
    request.signal?.throwIfAborted();
    this.asked.push(`${request.method} ${request.path}`);
    const failure = this.fault(request);
    if (failure !== undefined) throw failure;
    return parseTarget(request.path);
  }

  #tell(change: Change): void {
    for (const [stream, target] of this.#watchers) tell(stream, target, change);
  }

  #bookmarkLine(endsInitialEvents = false): string {
    const annotations = endsInitialEvents ? { "k8s.io/initial-events-end": "true" } : {};
    const metadata = { resourceVersion: String(this.version), annotations };
    return line("BOOKMARK", { metadata });
  }
}

/** Sends a change to a watcher; an object that is not selected any more is deleted for it. */
function tell(stream: Stream, target: Target, change: Change): void {
  const { type, collection, object, before } = change;
  if (collection !== target.collection) return;
  const was = before !== undefined && isSelected(before, target);
  const is = type !== "DELETED" && isSelected(object, target);
  if (is) stream.push(line(was ? "MODIFIED" : "ADDED", object));
  else if (was) stream.push(line("DELETED", object));
}

function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`;
}
