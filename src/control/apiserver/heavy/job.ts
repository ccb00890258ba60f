// What the server's thread and the threads for heavy work tell each other.
import type { MessagePort } from "node:worker_threads";
import type { ClusterSettings } from "../../../api/kinds/kind.ts";
import type { User } from "../access.ts";
import type { Selectable } from "../cache/item.ts";
import type { Details, Reason } from "../errors.ts";
import type { GuardSettings } from "../security/open-guard.ts";

/** What a thread is given when it starts. */
export interface ThreadData {
  readonly settings: Omit<ClusterSettings, "now">;
  readonly guard: GuardSettings;
  /** Becomes 1 when the answer to a question about objects is there. */
  readonly answered: Int32Array<SharedArrayBuffer>;
  /** Leads to who answers. */
  readonly questions: MessagePort;
}

/** A write whose new state is to be worked out. */
export interface WriteJob {
  readonly type: "write";
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly user: User;
  readonly body: Uint8Array;
  /** The object as it is; absent when there is none. */
  readonly old: { readonly bytes: Uint8Array; readonly modified: number } | undefined;
  readonly definition: Definition | undefined;
}

/** Text that is to be written in another form. */
export interface RenderJob {
  readonly type: "render";
  readonly json: Uint8Array;
  readonly form: "yaml" | "pretty";
}

export type Job = WriteJob | RenderJob;

/** The definition of a custom resource. */
export interface Definition {
  /** Another one means that the definition has changed. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

export interface Written {
  readonly type: "put" | "delete" | "keep";
  readonly name: string;
  /** The stored form, when it is put. */
  readonly value: Uint8Array<ArrayBuffer> | undefined;
  /** Whether that is what is there already. */
  readonly isSame: boolean;
  readonly isGenerated: boolean;
  readonly selectable: Selectable | undefined;
  readonly warnings: readonly string[];
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
}

/** A question of a thread about the objects that the server has. */
export type Question =
  | {
      readonly ask: "get";
      readonly resource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly ask: "list"; readonly resource: string }
  | { readonly ask: "version"; readonly resource: string }
  | { readonly ask: "current" };
