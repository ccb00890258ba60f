// Gives every namespace its default service account and the ConfigMap with the root certificate by which pods
// verify the server.

import { Controller } from "../../../api/client/controller.ts";
import { named } from "../../../api/client/field-selectors.ts";
import type { ControllerContext } from "../context.ts";
import { WriteThrough } from "../write-through.ts";

const accountName = "default";
const rootName = "kube-root-ca.crt";
const rootKey = "ca.crt";

export interface ServiceAccountsOptions {
  /** The PEM certificate of the authority that signs the server's certificate. */
  readonly authority: string;
}

export function serviceAccountsController(
  context: ControllerContext,
  { authority }: ServiceAccountsOptions,
): Controller {
  const { client, informers } = context;
  const namespaces = informers.of(client.resource("v1", "Namespace"));
  const accountClient = client.resource("v1", "ServiceAccount");
  const accountInformer = informers.of(accountClient, named(accountName));
  const accounts = new WriteThrough(accountClient, accountInformer);
  const mapClient = client.resource("v1", "ConfigMap");
  const mapInformer = informers.of(mapClient, named(rootName));
  const maps = new WriteThrough(mapClient, mapInformer);

  const reconcile = async (namespace: string, signal: AbortSignal): Promise<void> => {
    const found = namespaces.get(namespace);
    if (found === undefined || found.metadata.deletionTimestamp !== undefined) return;
    if (accounts.get(`${namespace}/${accountName}`) === undefined) {
      await accounts.create({ metadata: { namespace, name: accountName } }, { signal });
    }
    const data = { [rootKey]: authority };
    const map = maps.get(`${namespace}/${rootName}`);
    if (map === undefined) {
      const annotations = { "kubernetes.io/description": description };
      const metadata = { namespace, name: rootName, annotations };
      await maps.create({ metadata, data }, { signal });
    } else if (map.data?.[rootKey] !== authority || Object.keys(map.data).length > 1) {
      await maps.update({ ...map, data }, { signal });
    }
  };

  const inNamespace = ({ metadata }: { readonly metadata: { readonly namespace: string } }) => [
    metadata.namespace,
  ];
  return new Controller({
    ...context,
    sources: [namespaces, accountInformer.mapped(inNamespace), mapInformer.mapped(inNamespace)],
    reconcile,
  });
}

const description =
  "The certificate of the authority by which clients inside the cluster know the API server.";
