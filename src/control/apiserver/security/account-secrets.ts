// Secrets with a token of a service account, for clients outside of pods: they are filled when they are
// created, their token is valid as long as they exist, and they are deleted with their account.
import type { Secret } from "../../../api/types/core.ts";
import type { Completion } from "../access.ts";
import { forbidden } from "../errors.ts";
import type { ObjectReader } from "./objects.ts";
import type { ServiceAccountTokens } from "./service-account-token.ts";

const type = "kubernetes.io/service-account-token";
const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";
/** The lifetime of tokens: practically for ever, since their holders do not renew them. */
const lifetimeSeconds = 100 * 365 * 24 * 3600;

export interface AccountSecretsOptions {
  readonly objects: ObjectReader;
  readonly tokens: ServiceAccountTokens;
  /** The authority (PEM) that signs the server's certificate. */
  readonly authority: string;
}

export function accountSecrets({ objects, tokens, authority }: AccountSecretsOptions): Completion {
  return {
    async complete({ group, resource, namespace = "" }, object) {
      const secret = object as Secret;
      if (group !== "" || resource !== "secrets" || secret.type !== type) return;
      const { metadata } = secret;
      const name = metadata.annotations?.[nameAnnotation];
      if (name === undefined) return;
      if (objects.get("serviceaccounts", namespace, name) === undefined) await objects.current();
      const account = objects.get("serviceaccounts", namespace, name);
      if (account === undefined) {
        const why = `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`;
        throw forbidden({ group: "", name: "secrets" }, metadata.name, why);
      }
      const uid = account.metadata?.uid ?? "";
      const bound = { name: metadata.name, uid: metadata.uid ?? "" };
      const identity = { namespace, name, uid, secret: bound };
      const { token } = await tokens.issue(identity, { audiences: [], lifetimeSeconds });
      metadata.annotations = { ...metadata.annotations, [uidAnnotation]: uid };
      const owner = { apiVersion: "v1", kind: "ServiceAccount", name, uid };
      metadata.ownerReferences = [...(metadata.ownerReferences ?? []), owner];
      secret.data = {
        ...secret.data,
        token: encode(token),
        "ca.crt": encode(authority),
        namespace: encode(namespace),
      };
    },
  };
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}
