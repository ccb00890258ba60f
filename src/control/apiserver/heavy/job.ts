// Messages between the server's thread and the threads for heavy work.
import type { MessagePort } from "node:worker_threads";
import type { ClusterSettings } from "../../../api/kinds/kind.ts";
import type { User } from "../access.ts";
import type { WebhookEvent } from "../admission/webhooks/port.ts";
import type { Selectable } from "../cache/item.ts";
import type { Details, Reason } from "../errors.ts";
import type { GuardSettings } from "../security/open-guard.ts";
import type { WebhookCall } from "../streaming/webhook-client.ts";

/** The data that a thread gets at its start. */
export interface ThreadData {
  readonly settings: Omit<ClusterSettings, "now">;
  readonly guard: GuardSettings;
  /** A flag that becomes 1 when the answer to a question about objects has been sent. */
  readonly answered: Int32Array<SharedArrayBuffer>;
  /** The port to the server's thread, which answers questions. */
  readonly questions: MessagePort;
}

/** A write that is to be planned. */
export interface WriteJob {
  readonly type: "write";
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly user: User;
  readonly body: Uint8Array;
  /** The stored object; absent when there is none. */
  readonly old: { readonly bytes: Uint8Array; readonly modified: number } | undefined;
  readonly definition: Definition | undefined;
}

/** A JSON text that is to be rendered in another form. */
export interface RenderJob {
  readonly type: "render";
  readonly json: Uint8Array;
  readonly form: "yaml" | "pretty" | "protobuf" | "protobuf item";
}

export type Job = WriteJob | RenderJob;

/** A webhook that a thread wants called; only the server's own thread has connections. */
export interface Errand {
  readonly id: number;
  /** The job that waits for it. */
  readonly job: number;
  readonly call: WebhookCall;
}

export type ErrandResult =
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly failed: string };

/** The messages from a thread about its jobs. */
export type ThreadMessage =
  /** The thread has loaded its code and takes jobs. */
  | { readonly ready: true }
  | { readonly job: number; readonly result: JobResult }
  | { readonly errand: Errand }
  | { readonly event: WebhookEvent };

/** The messages to a thread. */
export type ThreadOrder =
  | { readonly job: number; readonly work: Job }
  | { readonly done: ErrandResult };

/** The definition of a custom resource. */
export interface Definition {
  /** The id; a different one means that the definition has changed. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

export interface Written {
  readonly type: "put" | "delete" | "keep";
  readonly name: string;
  /** The stored form, when the type is "put". */
  readonly value: Uint8Array<ArrayBuffer> | undefined;
  /** Says that the new state equals the stored one. */
  readonly isSame: boolean;
  readonly isGenerated: boolean;
  readonly selectable: Selectable | undefined;
  readonly warnings: readonly string[];
  /** What admission has to say about the request in the audit log. */
  readonly annotations: Readonly<Record<string, string>>;
}

export type JobResult =
  | { readonly written: Written }
  | { readonly rendered: Uint8Array<ArrayBuffer> }
  | { readonly refused: Refusal; readonly warnings: readonly string[] }
  | { readonly failed: string };

export interface Refusal {
  readonly reason: Reason;
  readonly message: string;
  readonly details: Details | undefined;
  readonly code: number;
  readonly isFinal: boolean;
}

/** A question of a thread about the server's objects. */
export type Question =
  | {
      readonly ask: "get";
      readonly resource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | {
      readonly ask: "list";
      readonly resource: string;
      readonly namespace?: string | undefined;
    }
  | { readonly ask: "version"; readonly resource: string }
  | { readonly ask: "current" };
