// The user and the privileges of a container.

import type { PodSpec, SecurityContext } from "../../../api/types/core.ts";
import { defined } from "../../../base/json/defined.ts";
import type { ContainerSpec, ContainerUser, ImageConfig } from "../../runtime/runtime.ts";
import type { Slot } from "../decide/slots.ts";
import { ConfigurationError } from "../environment/error.ts";

/** Returns the user that the spec sets, or undefined when the image decides. */
export function userOf(slot: Slot, spec: PodSpec, image: ImageConfig): ContainerUser | undefined {
  const own: SecurityContext = slot.container.securityContext ?? {};
  const pods = spec.securityContext ?? {};
  const uid = own.runAsUser ?? pods.runAsUser;
  const gid = own.runAsGroup ?? pods.runAsGroup;
  const isRootForbidden = own.runAsNonRoot ?? pods.runAsNonRoot ?? false;
  if (isRootForbidden) checkNotRoot(slot, uid, image);
  const groups = [
    ...(pods.supplementalGroups ?? []),
    ...(pods.fsGroup === undefined ? [] : [pods.fsGroup]),
  ];
  const isStrict = pods.supplementalGroupsPolicy === "Strict";
  if (uid === undefined && gid === undefined && groups.length === 0 && !isStrict) return undefined;
  return {
    ...(isStrict ? { isStrict } : {}),
    ...defined({ uid, gid }),
    ...(groups.length === 0 ? {} : { supplementalGroups: groups }),
  };
}

export function securityOf(slot: Slot): NonNullable<ContainerSpec["security"]> {
  const context: SecurityContext = slot.container.securityContext ?? {};
  const { privileged, capabilities, readOnlyRootFilesystem, allowPrivilegeEscalation, procMount } =
    context;
  return {
    ...defined({
      privileged,
      addCapabilities: capabilities?.add,
      dropCapabilities: capabilities?.drop,
    }),
    ...(procMount === "Unmasked" ? { isUnmasked: true } : {}),
    ...defined({ readOnlyRoot: readOnlyRootFilesystem }),
    ...(allowPrivilegeEscalation === undefined
      ? {}
      : { noNewPrivileges: !allowPrivilegeEscalation }),
  };
}

function checkNotRoot(
  { path, container }: Slot,
  uid: number | undefined,
  image: ImageConfig,
): void {
  const [name = ""] = image.user.split(":");
  const action = `run spec.${path} with runAsNonRoot`;
  if (uid === 0) throw new ConfigurationError(action, "runAsUser is 0");
  if (uid !== undefined) return;
  const { image: reference = "" } = container;
  if (name === "" || name === "0" || name === "root") {
    throw new ConfigurationError(action, `image ${JSON.stringify(reference)} runs as root`);
  }
  if (!/^\d+$/.test(name)) {
    const state = `image ${JSON.stringify(reference)} runs as ${JSON.stringify(name)}, which is no number`;
    throw new ConfigurationError(action, state);
  }
}
