// Made from the tables of src/api/schema by `make types`: change those.

import type { ObjectMeta } from "./meta.ts";

export interface BoundObjectReference {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
}

/** Asks who the caller is. */
export interface SelfSubjectReview {
  apiVersion?: "authentication.k8s.io/v1";
  kind?: "SelfSubjectReview";
  metadata?: ObjectMeta;
  status?: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  userInfo?: UserInfo;
}

/** Asks for a token of a service account. */
export interface TokenRequest {
  apiVersion?: "authentication.k8s.io/v1";
  kind?: "TokenRequest";
  metadata?: ObjectMeta;
  spec: TokenRequestSpec;
  status?: TokenRequestStatus;
}

export interface TokenRequestSpec {
  audiences?: string[];
  expirationSeconds?: number;
  boundObjectRef?: BoundObjectReference;
}

export interface TokenRequestStatus {
  token?: string;
  expirationTimestamp?: string;
}

/** Asks who a token belongs to. */
export interface TokenReview {
  apiVersion?: "authentication.k8s.io/v1";
  kind?: "TokenReview";
  metadata?: ObjectMeta;
  spec: TokenReviewSpec;
  status?: TokenReviewStatus;
}

export interface TokenReviewSpec {
  token: string;
  audiences?: string[];
}

export interface TokenReviewStatus {
  authenticated?: boolean;
  user?: UserInfo;
  audiences?: string[];
  error?: string;
}

export interface UserInfo {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}
