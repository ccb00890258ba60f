// Made from the tables of src/api/schema by `make types`: change those.

import type { FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta } from "./meta.ts";

export interface FieldSelectorAttributes {
  rawSelector?: string;
  requirements?: FieldSelectorRequirement[];
}

export interface LabelSelectorAttributes {
  rawSelector?: string;
  requirements?: LabelSelectorRequirement[];
}

/** Asks whether somebody may do something in one namespace. */
export interface LocalSubjectAccessReview {
  apiVersion?: "authorization.k8s.io/v1";
  kind?: "LocalSubjectAccessReview";
  metadata?: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

export interface NonResourceAttributes {
  path?: string;
  verb?: string;
}

export interface NonResourceRule {
  verbs: string[];
  nonResourceURLs?: string[];
}

export interface ResourceAttributes {
  namespace?: string;
  verb?: string;
  group?: string;
  version?: string;
  resource?: string;
  subresource?: string;
  name?: string;
  fieldSelector?: FieldSelectorAttributes;
  labelSelector?: LabelSelectorAttributes;
}

export interface ResourceRule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
}

/** Asks whether the caller may do something. */
export interface SelfSubjectAccessReview {
  apiVersion?: "authorization.k8s.io/v1";
  kind?: "SelfSubjectAccessReview";
  metadata?: ObjectMeta;
  spec: SelfSubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

export interface SelfSubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
}

/** Asks what the caller may do in one namespace. */
export interface SelfSubjectRulesReview {
  apiVersion?: "authorization.k8s.io/v1";
  kind?: "SelfSubjectRulesReview";
  metadata?: ObjectMeta;
  spec: SelfSubjectRulesReviewSpec;
  status?: SubjectRulesReviewStatus;
}

export interface SelfSubjectRulesReviewSpec {
  namespace?: string;
}

/** Asks whether somebody may do something. */
export interface SubjectAccessReview {
  apiVersion?: "authorization.k8s.io/v1";
  kind?: "SubjectAccessReview";
  metadata?: ObjectMeta;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus;
}

export interface SubjectAccessReviewSpec {
  resourceAttributes?: ResourceAttributes;
  nonResourceAttributes?: NonResourceAttributes;
  user?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
  uid?: string;
}

export interface SubjectAccessReviewStatus {
  allowed: boolean;
  denied?: boolean;
  reason?: string;
  evaluationError?: string;
}

export interface SubjectRulesReviewStatus {
  resourceRules: ResourceRule[];
  nonResourceRules: NonResourceRule[];
  incomplete: boolean;
  evaluationError?: string;
}
