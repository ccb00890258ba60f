import type { ApiObject } from "../../api/kinds/kind.ts";

/** An object a cluster starts with. */
export interface BootstrapObject {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly object: ApiObject;
}
