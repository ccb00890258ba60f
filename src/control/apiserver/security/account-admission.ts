// Admits pods only with an existing service account of their namespace.
import { accountVolumePrefix, isMirrorPod, takeFromAccount } from "../../../api/kinds/pod.ts";
import type { Pod, ServiceAccount } from "../../../api/types/core.ts";
import type { Completion } from "../access.ts";
import { forbidden } from "../errors.ts";
import { generateName } from "../write/generate-name.ts";
import type { ObjectReader, SecurityObject } from "./objects.ts";

const usual = "default";
const pods = { group: "", name: "pods" };

export function accountAdmission(objects: ObjectReader): Completion {
  const find = (namespace: string, name: string) =>
    objects.get("serviceaccounts", namespace, name) as ServiceAccount | undefined;

  return {
    async complete({ group, resource, subresource, namespace = "" }, object) {
      if (group !== "" || resource !== "pods" || subresource !== undefined) return;
      const pod = object as Pod;
      if (isMirrorPod(pod)) return checkMirrorPod(pod);
      const name = pod.spec.serviceAccountName || usual;
      if (find(namespace, name) === undefined) await objects.current();
      const account = find(namespace, name);
      if (account !== undefined) {
        takeFromAccount(pod, account, generateName(accountVolumePrefix));
      } else if (isOpen(objects.get("namespaces", "", namespace))) {
        const where = `${namespace}/${name}`;
        const why = `error looking up service account ${where}: serviceaccount "${name}" not found`;
        throw forbidden(pods, pod.metadata.name, why);
      }
    },
  };
}

/** Returns whether a namespace exists and stays; errors for other namespaces come from elsewhere. */
function isOpen(namespace: SecurityObject | undefined): boolean {
  return namespace !== undefined && namespace.metadata?.deletionTimestamp === undefined;
}

/** Checks a mirror pod, which shows a static pod of a node and must not get credentials from the API. */
function checkMirrorPod({ metadata, spec }: Pod): void {
  const refuse = (what: string) => forbidden(pods, metadata.name, `a mirror pod may not ${what}`);
  if (spec.serviceAccountName) throw refuse("reference service accounts");
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined)) {
    throw refuse("use service account token volume projections");
  }
}
