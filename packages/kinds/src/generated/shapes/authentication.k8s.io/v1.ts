import type { ObjectMeta } from "@capstan/model";

export interface BoundObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface BoundObjectReferenceApply {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface SelfSubjectReview {
  readonly apiVersion: "authentication.k8s.io/v1";
  readonly kind: "SelfSubjectReview";
  readonly metadata: ObjectMeta;
  readonly status?: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewApply {
  readonly apiVersion?: "authentication.k8s.io/v1";
  readonly kind?: "SelfSubjectReview";
  readonly metadata?: ObjectMeta;
  readonly status?: SelfSubjectReviewStatusApply;
}

export interface SelfSubjectReviewStatus {
  readonly userInfo?: UserInfo;
}

export interface SelfSubjectReviewStatusApply {
  readonly userInfo?: UserInfoApply;
}

export interface TokenRequest {
  readonly apiVersion: "authentication.k8s.io/v1";
  readonly kind: "TokenRequest";
  readonly metadata: ObjectMeta;
  readonly spec?: TokenRequestSpec;
  readonly status?: TokenRequestStatus;
}

export interface TokenRequestApply {
  readonly apiVersion?: "authentication.k8s.io/v1";
  readonly kind?: "TokenRequest";
  readonly metadata?: ObjectMeta;
  readonly spec?: TokenRequestSpecApply;
  readonly status?: TokenRequestStatusApply;
}

export interface TokenRequestSpec {
  readonly audiences?: readonly string[];
  readonly boundObjectRef?: BoundObjectReference;
  readonly expirationSeconds?: number;
}

export interface TokenRequestSpecApply {
  readonly audiences?: readonly string[];
  readonly boundObjectRef?: BoundObjectReferenceApply;
  readonly expirationSeconds?: number;
}

export interface TokenRequestStatus {
  readonly expirationTimestamp?: string;
  readonly token?: string;
}

export interface TokenRequestStatusApply {
  readonly expirationTimestamp?: string;
  readonly token?: string;
}

export interface TokenReview {
  readonly apiVersion: "authentication.k8s.io/v1";
  readonly kind: "TokenReview";
  readonly metadata: ObjectMeta;
  readonly spec: TokenReviewSpec;
  readonly status?: TokenReviewStatus;
}

export interface TokenReviewApply {
  readonly apiVersion?: "authentication.k8s.io/v1";
  readonly kind?: "TokenReview";
  readonly metadata?: ObjectMeta;
  readonly spec?: TokenReviewSpecApply;
  readonly status?: TokenReviewStatusApply;
}

export interface TokenReviewSpec {
  readonly audiences?: readonly string[];
  readonly token: string;
}

export interface TokenReviewSpecApply {
  readonly audiences?: readonly string[];
  readonly token?: string;
}

export interface TokenReviewStatus {
  readonly audiences?: readonly string[];
  readonly authenticated?: boolean;
  readonly error?: string;
  readonly user?: UserInfo;
}

export interface TokenReviewStatusApply {
  readonly audiences?: readonly string[];
  readonly authenticated?: boolean;
  readonly error?: string;
  readonly user?: UserInfoApply;
}

export interface UserInfo {
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly username?: string;
}

export interface UserInfoApply {
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly username?: string;
}
