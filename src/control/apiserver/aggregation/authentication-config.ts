// The ConfigMap from which servers of aggregated APIs learn whom to believe.
import type { ConfigMap } from "../../../api/types/core.ts";
import type { Core } from "../core.ts";
import { frontProxyName } from "../security/front-proxy.ts";
import { writeOwn } from "../write/own-object.ts";
import type { AggregationSettings } from "./aggregation.ts";

const name = "extension-apiserver-authentication";
const namespace = "kube-system";

export async function writeAuthenticationConfig(
  core: Core,
  { frontProxy, clientAuthority }: AggregationSettings,
): Promise<void> {
  const resource = core.catalogue.find("", "v1", "configmaps");
  if (resource === undefined) return;
  const data = {
    "client-ca-file": clientAuthority,
    "requestheader-allowed-names": JSON.stringify([frontProxyName]),
    "requestheader-client-ca-file": frontProxy.authority,
    "requestheader-extra-headers-prefix": JSON.stringify(["X-Remote-Extra-"]),
    "requestheader-group-headers": JSON.stringify(["X-Remote-Group"]),
    "requestheader-uid-headers": JSON.stringify(["X-Remote-Uid"]),
    "requestheader-username-headers": JSON.stringify(["X-Remote-User"]),
  };
  await writeOwn(core, {
    resource,
    namespace,
    name,
    desire: (old): ConfigMap => ({
      ...old,
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace, ...old?.metadata },
      data: { ...(old as ConfigMap | undefined)?.data, ...data },
    }),
  });
}
