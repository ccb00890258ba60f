// A volume that is ready to be mounted.

import type { MountKind } from "../../runtime/runtime.ts";

export interface PreparedVolume {
  readonly path: string;
  /** Whether only the agent writes the volume's content. */
  readonly isReadOnly: boolean;
  /** Whether the path is one of the node's (hostPath), which may be a symbolic link. */
  readonly isOfHost?: boolean;
  /** Whether programs in the volume cannot be run. */
  readonly isInert?: boolean;
  /** The file type that the path must still have when it is mounted. */
  readonly kind?: MountKind;
}
