// The seccomp profile of a container: its own, else its pod's.

import { join, normalize } from "node:path";
import type { PodSpec } from "../../../api/types/core.ts";
import type { SeccompProfile } from "../../runtime/runtime.ts";
import type { Slot } from "../decide/slots.ts";
import { ConfigurationError } from "../environment/error.ts";
import type { PodMachine } from "../machine.ts";

export interface SeccompSettings {
  /** The directory of the node's own profiles. */
  readonly directory: string | undefined;
  /** Whether containers that specify no profile get the runtime's default profile. */
  readonly isDefault: boolean;
  readonly machine: Pick<PodMachine, "read">;
}

/** Returns the container's seccomp profile, or undefined for an unconfined container. */
export async function seccompOf(
  { container, path }: Slot,
  spec: PodSpec,
  { directory, isDefault, machine }: SeccompSettings,
): Promise<"default" | SeccompProfile | undefined> {
  const own = container.securityContext?.seccompProfile;
  const { type, localhostProfile = "" } = own ?? spec.securityContext?.seccompProfile ?? {};
  if (type === "RuntimeDefault" || (type === undefined && isDefault)) return "default";
  if (type !== "Localhost") return undefined;
  const action = `run spec.${path} with seccompProfile ${JSON.stringify(localhostProfile)}`;
  const name = normalize(localhostProfile);
  if (directory === undefined || name.startsWith("..") || name.startsWith("/")) {
    throw new ConfigurationError(action, "it is not in the node's directory of profiles");
  }
  const file = join(directory, name);
  return parse(await read(file, { machine, action }), { file, action });
}

async function read(
  file: string,
  { machine, action }: { machine: SeccompSettings["machine"]; action: string },
): Promise<string> {
  const text = await machine.read(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EISDIR") throw error;
  });
  if (text !== undefined) return text;
  throw new ConfigurationError(action, `there is no file ${file} on the node`);
}

function parse(text: string, { file, action }: { file: string; action: string }): SeccompProfile {
  try {
    const profile = JSON.parse(text) as Partial<SeccompProfile> | null;
    if (typeof profile?.defaultAction === "string") return profile as SeccompProfile;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new ConfigurationError(action, `${file} is no JSON object with a defaultAction`);
}
