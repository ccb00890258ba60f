// Reviews: questions about access and tokens that are asked by creating an object, which is never stored.

import type {
  SelfSubjectReview,
  TokenReview,
  UserInfo,
} from "../../../api/types/authentication.ts";
import type {
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from "../../../api/types/authorization.ts";
import { defined } from "../../../base/json/defined.ts";
import type { Attributes, Authorizer, User } from "../access.ts";
import type { Reviewer } from "../ports.ts";
import type { RbacAuthorizer } from "./rbac.ts";
import type { ServiceAccountTokens } from "./service-account-token.ts";

export interface ReviewOptions {
  readonly authorizer: Authorizer;
  readonly rbac: RbacAuthorizer;
  readonly serviceAccounts: ServiceAccountTokens;
  /** Authenticates any bearer token. */
  readonly identify: (token: string) => Promise<User | undefined>;
  readonly issuer: string;
}

export function reviewers(options: ReviewOptions): Readonly<Record<string, Reviewer>> {
  const access = async (spec: SubjectAccessReviewSpec, user: User, namespace?: string) => {
    const decision = await options.authorizer.authorize(user, attributesOf(spec, namespace));
    const reason = decision.reason ? { reason: decision.reason } : {};
    return { allowed: decision.allowed, ...reason };
  };
  return {
    async selfsubjectaccessreviews(object, user) {
      const review = object as SelfSubjectAccessReview;
      return { ...review, status: await access(review.spec, user) };
    },
    async subjectaccessreviews(object) {
      const review = object as SubjectAccessReview;
      return { ...review, status: await access(review.spec, subjectOf(review.spec)) };
    },
    async localsubjectaccessreviews(object, _user, namespace) {
      const review = object as SubjectAccessReview;
      return { ...review, status: await access(review.spec, subjectOf(review.spec), namespace) };
    },
    async selfsubjectrulesreviews(object, user) {
      const review = object as SelfSubjectRulesReview;
      return { ...review, status: rulesOf(options.rbac, user, review.spec.namespace ?? "") };
    },
    async selfsubjectreviews(object, user) {
      return { ...(object as SelfSubjectReview), status: { userInfo: userInfo(user) } };
    },
    async tokenreviews(object) {
      const review = object as TokenReview;
      const given: Partial<TokenReview["spec"]> = review.spec;
      const { token = "", audiences = [] } = given;
      // Tokens for other audiences are known only to the verifier of service account tokens.
      const user =
        audiences.length > 0
          ? await options.serviceAccounts.verifyFor(token, audiences)
          : await options.identify(token);
      const accepted = audiences.length > 0 ? audiences : [options.issuer];
      const status =
        user === undefined
          ? { authenticated: false }
          : { authenticated: true, user: userInfo(user), audiences: accepted };
      return { ...review, spec: { ...review.spec, token: "" }, status };
    },
  };
}

function attributesOf(spec: SubjectAccessReviewSpec, namespace?: string): Attributes {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (resource === undefined) {
    const empty = { group: "", version: "", resource: "" };
    return { ...empty, verb: path?.verb ?? "", path: path?.path ?? "" };
  }
  const where = namespace ?? resource.namespace;
  return {
    verb: resource.verb ?? "",
    group: resource.group ?? "",
    version: resource.version ?? "",
    resource: resource.resource ?? "",
    path: "",
    ...(resource.subresource ? { subresource: resource.subresource } : {}),
    ...(where ? { namespace: where } : {}),
    ...(resource.name ? { name: resource.name } : {}),
  };
}

function subjectOf({ user = "", groups = [], uid, extra }: SubjectAccessReviewSpec): User {
  return {
    name: user,
    groups,
    ...defined({ uid, extra }),
  };
}

function rulesOf(rbac: RbacAuthorizer, user: User, namespace: string): object {
  const rules = rbac.rulesFor(user, namespace);
  const isAboutPaths = (rule: (typeof rules)[number]) => rule.nonResourceURLs !== undefined;
  return {
    resourceRules: rules.filter((rule) => !isAboutPaths(rule)),
    nonResourceRules: rules.filter(isAboutPaths),
    incomplete: false,
  };
}

function userInfo({ name, uid, groups, extra }: User): UserInfo {
  return {
    username: name,
    groups: [...groups],
    ...defined({ uid }),
    ...(extra === undefined
      ? {}
      : {
          extra: Object.fromEntries(
            Object.entries(extra).map(([key, values]) => [key, [...values]]),
          ),
        }),
  };
}
