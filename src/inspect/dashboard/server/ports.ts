// What the dashboard needs of other parts of the project, which the program that starts it puts in.

import type { Access } from "../../../api/client/access.ts";
import type { Client } from "../../../api/client/client.ts";
import type { Lease } from "../../../api/types/coordination.ts";
import type { Node, Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import type { CallOptions } from "../../../base/host/command.ts";
import type { Report } from "../../check/check.ts";
import type { TraceReport } from "../../trace/trace.ts";
import type { Placement } from "../model/announcements.ts";
import type { TraceRequest } from "../model/trace-request.ts";

/** The one with whose rights everything is asked. */
export interface User {
  readonly client: Client;
  readonly access: Access;
}

/** What pages may start that changes something; what is not there is not allowed. */
export interface Actions {
  readonly check?: (
    user: User,
    options: { readonly progress: (step: string) => void; readonly signal: AbortSignal },
  ) => Promise<Report>;
  readonly trace?: (request: TraceRequest, options: CallOptions) => Promise<readonly TraceReport[]>;
}

export interface PlacedObjects {
  readonly leases: readonly Lease[];
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
  readonly nodes: readonly Node[];
}

export interface Placed {
  readonly placements: readonly Placement[];
  /** The nodes whose announcers were not heard of for longer than they may be silent. */
  readonly silent: readonly string[];
}

/** Says which node has which address at present; remembers when it heard of each announcer. */
export type Placing = (objects: PlacedObjects) => Placed;

/** Returns the connection of whoever holds a bearer token. */
export type LogIn = (token: string) => User;
