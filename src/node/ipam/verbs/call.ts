import type { Configuration } from "../config/configuration.ts";
import type { Datastore, Holder } from "../datastore/port.ts";
import type { Attachment, Environment } from "../environment.ts";
import { IpamError } from "../errors.ts";

/** The inputs of a verb. */
export interface Call {
  readonly environment: Environment;
  readonly configuration: Configuration;
  readonly datastore: Datastore;
  /** The name of this node. */
  readonly node: string;
  /** Returns the time in milliseconds since 1970. */
  now(): number;
}

export function attachmentOf({ environment }: Call): Attachment {
  if (environment.attachment === undefined) {
    throw new IpamError("invalidEnvironment", "Cannot use CNI_CONTAINERID: it must be set");
  }
  return environment.attachment;
}

/** Returns the holder that asks: the pod where the runtime names one, else the container. */
export function holderOf(call: Call): Required<Holder> {
  const { containerId, ifname } = attachmentOf(call);
  const { K8S_POD_NAMESPACE: namespace = "", K8S_POD_NAME: name = "" } = call.environment.args;
  if (name !== "") return { containerId, ifname, owner: `${namespace}/${name}` };
  if (call.configuration.datastore.type === "kubernetes") {
    throw new IpamError(
      "invalidEnvironment",
      "Cannot use CNI_ARGS: K8S_POD_NAME must be set for the datastore kubernetes",
    );
  }
  return { containerId, ifname, owner: containerId };
}
