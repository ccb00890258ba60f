// Questions about access, answered and not kept.
import type { ApiObject } from "../../api/kinds/kind.ts";
import type { SelfSubjectReview, TokenReview, UserInfo } from "../../api/types/authentication.ts";
import type {
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from "../../api/types/authorization.ts";
import type { Attributes, User } from "../access.ts";
import type { Core } from "../core.ts";
import { badRequest, invalid } from "../errors.ts";
import type { ResourceExchange } from "../http/exchange.ts";
import { sendObject } from "../http/respond.ts";
import type { ServedResource } from "../resources/served.ts";
import { readObject } from "../write/decode.ts";

/** Answers with the status of a review. */
interface Review {
  status(core: Core, exchange: ResourceExchange, object: ApiObject): object | Promise<object>;
}

const reviews: Readonly<Record<string, Review>> = {
  SelfSubjectReview: { status: reviewSelf },
  TokenReview: { status: reviewToken },
  SelfSubjectAccessReview: { status: reviewOwnAccess },
  SubjectAccessReview: { status: reviewAccess },
  LocalSubjectAccessReview: { status: reviewLocalAccess },
  SelfSubjectRulesReview: { status: reviewRules },
};

export async function review(
  core: Core,
  exchange: ResourceExchange,
  resource: ServedResource,
): Promise<void> {
  const object = await readObject(exchange, resource);
  const status = await reviews[resource.kind]?.status(core, exchange, object);
  sendObject(exchange, { ...object, metadata: object.metadata ?? {}, status }, 201);
}

function reviewSelf(
  _core: Core,
  { user }: ResourceExchange,
): NonNullable<SelfSubjectReview["status"]> {
  return { userInfo: userInfo(user) };
}

async function reviewToken(
  core: Core,
  _exchange: ResourceExchange,
  { spec }: TokenReview,
): Promise<NonNullable<TokenReview["status"]>> {
  if (!spec?.token) throw required("TokenReview", "spec.token");
  const audiences = spec.audiences ?? [];
  const user = await core.tokenReviewer?.review(spec.token, audiences);
  if (user === undefined) return { authenticated: false, user: {}, error: "invalid bearer token" };
  return {
    authenticated: true,
    user: userInfo(user),
    ...(audiences.length === 0 ? {} : { audiences: [...audiences] }),
  };
}

function reviewOwnAccess(
  core: Core,
  { user }: ResourceExchange,
  { spec }: SelfSubjectAccessReview,
): Promise<object> {
  return decide(core, user, attributesOf("SelfSubjectAccessReview", spec ?? {}));
}

function reviewAccess(
  core: Core,
  _exchange: ResourceExchange,
  { spec, kind }: SubjectAccessReview | (ApiObject & { spec?: SubjectAccessReview["spec"] }),
): Promise<object> {
  const { user = "", groups = [], uid, extra } = spec ?? {};
  if (user === "" && groups.length === 0) throw required(kind ?? "", "spec.user");
  const subject: User = {
    name: user,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
  return decide(core, subject, attributesOf(kind ?? "", spec ?? {}));
}

function reviewLocalAccess(
  core: Core,
  exchange: ResourceExchange,
  object: ApiObject & { spec?: SubjectAccessReview["spec"] },
): Promise<object> {
  const namespace = exchange.target.namespace ?? "";
  if (object.spec?.resourceAttributes?.namespace !== namespace) {
    throw badRequest(
      "spec.resourceAttributes.namespace does not match the namespace of the request",
    );
  }
  return reviewAccess(core, exchange, object);
}

function reviewRules(
  core: Core,
  { user }: ResourceExchange,
  { spec }: SelfSubjectRulesReview,
): NonNullable<SelfSubjectRulesReview["status"]> {
  const rules = core.rulesFor?.(user, spec?.namespace ?? "");
  const about = rules ?? [];
  return {
    resourceRules: about
      .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length === 0)
      .map(({ verbs, apiGroups = [], resources = [], resourceNames = [] }) => ({
        verbs: [...verbs],
        apiGroups: [...apiGroups],
        resources: [...resources],
        ...(resourceNames.length === 0 ? {} : { resourceNames: [...resourceNames] }),
      })),
    nonResourceRules: about.flatMap(({ verbs, nonResourceURLs = [] }) =>
      nonResourceURLs.length === 0
        ? []
        : [{ verbs: [...verbs], nonResourceURLs: [...nonResourceURLs] }],
    ),
    incomplete: rules === undefined,
  };
}

async function decide(core: Core, user: User, attributes: Attributes): Promise<object> {
  const { allowed, reason } = (await core.authorizer?.authorize(user, attributes)) ?? {
    allowed: false,
  };
  return { allowed, ...(reason === undefined ? {} : { reason }) };
}

function attributesOf(kind: string, spec: SubjectAccessReview["spec"]): Attributes {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec ?? {};
  if ((resource === undefined) === (path === undefined)) {
    throw required(kind, "spec.resourceAttributes");
  }
  const {
    verb = "",
    group = "",
    version = "",
    namespace = "",
    name = "",
    subresource = "",
  } = {
    ...path,
    ...resource,
  } as Record<string, string>;
  return {
    verb,
    group,
    version,
    resource: resource?.resource ?? "",
    path: path?.path ?? "",
    ...(namespace === "" ? {} : { namespace }),
    ...(name === "" ? {} : { name }),
    ...(subresource === "" ? {} : { subresource }),
  };
}

function userInfo({ name, uid, groups, extra }: User): UserInfo {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(extra === undefined
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([k, v]) => [k, [...v]])) }),
  };
}

function required(kind: string, field: string) {
  return invalid({ group: "authorization.k8s.io", name: kind }, "", [
    { type: "FieldValueRequired", field, detail: "" },
  ]);
}
