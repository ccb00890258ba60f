// The server's objects for other threads: a question goes to the server's thread, and the asking thread
// blocks until the answer is there. So code that reads objects is the same in every thread.
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import type { ApiObject } from "../../../api/kinds/kind.ts";
import { resources } from "../../../api/schema/resources.ts";
import { readJson } from "../../../base/json/read-json.ts";
import type { Cache } from "../cache/cache.ts";
import type { Collection } from "../cache/collection.ts";
import { collectionId } from "../keys.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Question } from "./job.ts";

const patienceMs = 30_000;

type Bytes = Uint8Array | undefined;

/** Makes the reader of a thread; `port` leads to the server's thread. */
export function remoteObjects(
  port: MessagePort,
  answered: Int32Array<SharedArrayBuffer>,
): ObjectReader {
  const ask = (question: Question): unknown => {
    Atomics.store(answered, 0, 0);
    port.postMessage(question);
    const outcome = Atomics.wait(answered, 0, 0, patienceMs);
    if (outcome === "timed-out") throw new Error("Cannot read objects: the server does not answer");
    const received = receiveMessageOnPort(port);
    if (received === undefined) throw new Error("Cannot read objects: the answer is lost");
    const { answer } = received.message as { answer: unknown };
    return answer;
  };
  return {
    get(resource, namespace, name) {
      const bytes = ask({ ask: "get", resource, namespace, name }) as Bytes;
      return bytes && parse(bytes);
    },
    list: (resource, namespace) =>
      (ask({ ask: "list", resource, namespace }) as Uint8Array[]).map(parse),
    version: (resource) => ask({ ask: "version", resource }) as number,
    current: async () => void ask({ ask: "current" }),
  };
}

/** Answers a question in the server's thread. */
export async function answerQuestion(cache: Cache, question: Question): Promise<unknown> {
  if (question.ask === "current") {
    await cache.current();
    return undefined;
  }
  const collection = collectionOf(cache, question.resource);
  if (question.ask === "get") return collection.get(question.namespace, question.name)?.bytes;
  if (question.ask === "version") return collection.version;
  return collection.list(question.namespace).map(({ bytes }) => bytes);
}

function collectionOf(cache: Cache, resource: string): Collection {
  if (resource.includes("/")) return cache.collection(resource);
  const found = resources.find(({ plural }) => plural === resource);
  if (found === undefined) throw new Error(`Cannot read ${resource}: there is no such resource`);
  return cache.collection(collectionId(found.group, found.plural));
}

function parse(bytes: Uint8Array): ApiObject {
  return readJson(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
  ) as ApiObject;
}
