/** Access reviews: whether a user may perform a request. */
import type {
  LocalSubjectAccessReview as LocalReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview as SelfReview,
  SubjectAccessReview as Review,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "@capstan/kinds/authorization.k8s.io/v1";
import { fieldErrors, type FieldError, type KubeObject } from "@capstan/model";
import type { UserInfo } from "../../authenticate/user.ts";
import type { AccessAttributes } from "../../authorize/authorizer.ts";
import type { RuleContext } from "../context.ts";
import type { Draft } from "../draft.ts";
import { defineReview, type ReviewRules } from "../rules.ts";
import { checkSelectors, parsedSelectors } from "./selectors.ts";

/** The attributes that all access reviews share. */
interface Question {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

/** Rules of SubjectAccessReview: any user, any namespace. */
export const subjectAccessReview: ReviewRules<Review> = defineReview<Review>({
  serves: "answers",
  validateCreate: ({ metadata, spec }) => [
    ...checkQuestion(spec),
    ...checkUser(spec),
    ...checkSelectors(spec.resourceAttributes),
    ...checkNoMetadata(metadata, "must be empty"),
  ],
  answer: (draft, context) => answered(draft, userOf(draft.spec), context),
});

/** Rules of LocalSubjectAccessReview: any user, one namespace. */
export const localSubjectAccessReview: ReviewRules<LocalReview> = defineReview<LocalReview>({
  serves: "answers",
  validateCreate: ({ metadata, spec }) => [
    ...checkQuestion(spec),
    ...checkUser(spec),
    ...checkSelectors(spec.resourceAttributes),
    ...checkNoMetadata({ ...metadata, namespace: undefined }, "must be empty except for namespace", metadata),
    ...checkLocal(spec, metadata?.namespace ?? ""),
  ],
  answer: (draft, context) => answered(draft, userOf(draft.spec), context),
});

/** Rules of SelfSubjectAccessReview: the user of the request. */
export const selfSubjectAccessReview: ReviewRules<SelfReview> = defineReview<SelfReview>({
  serves: "answers",
  validateCreate: ({ metadata, spec }) => [
    ...checkQuestion(spec),
    ...checkSelectors(spec.resourceAttributes),
    ...checkNoMetadata(metadata, "must be empty"),
  ],
  answer: (draft, context) => answered(draft, context.user, context),
});

function checkQuestion({ resourceAttributes, nonResourceAttributes }: Question): FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const shown = internalPath(nonResourceAttributes);
    return [
      fieldErrors.invalid(
        "spec.nonResourceAttributes",
        shown,
        "cannot be specified in combination with resourceAttributes",
      ),
    ];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  const why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [fieldErrors.invalid("spec.resourceAttributes", null, why)];
}

function internalPath({ path = "", verb = "" }: NonResourceAttributes): object {
  return { Path: path, Verb: verb };
}

function checkUser({ user = "", groups = [] }: SubjectAccessReviewSpec): FieldError[] {
  if (user !== "" || groups.length > 0) return [];
  return [fieldErrors.invalid("spec.user", user, "at least one of user or group must be specified")];
}

function checkNoMetadata(metadata: object | undefined, why: string, shown = metadata): FieldError[] {
  const { managedFields: _, ...rest } = (metadata ?? {}) as KubeObject["metadata"];
  const isEmpty = Object.values(rest).every((value) => value === undefined || value === null);
  return isEmpty ? [] : [fieldErrors.invalid("metadata", shown, why)];
}

function checkLocal({ resourceAttributes, nonResourceAttributes }: Question, namespace: string): FieldError[] {
  const asked = resourceAttributes?.namespace ?? "";
  const isElsewhere = resourceAttributes !== undefined && asked !== namespace;
  return [
    ...(isElsewhere
      ? [fieldErrors.invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace")]
      : []),
    ...(nonResourceAttributes === undefined
      ? []
      : [
          fieldErrors.invalid(
            "spec.nonResourceAttributes",
            internalPath(nonResourceAttributes),
            "disallowed on this kind of request",
          ),
        ]),
  ];
}

function userOf({ user = "", uid, groups = [], extra }: SubjectAccessReviewSpec): UserInfo {
  return { name: user, groups, ...(uid === undefined ? {} : { uid }), ...(extra === undefined ? {} : { extra }) };
}

type AnyReview = Draft<Review> | Draft<LocalReview> | Draft<SelfReview>;

async function answered(draft: AnyReview, user: UserInfo, { access }: RuleContext): Promise<KubeObject> {
  const [asked, problem] = attributesOf(draft.spec, user);
  const { verdict, reason } = await access.authorizer.authorize(asked);
  const status: Draft<SubjectAccessReviewStatus> = { allowed: verdict === "Allow" };
  if (verdict === "Deny") status.denied = true;
  if (reason !== "") status.reason = reason;
  if (problem !== "") status.evaluationError = problem;
  const answer = { ...draft, metadata: draft.metadata ?? {}, status };
  return answer;
}

function attributesOf(spec: Question, user: UserInfo): [asked: AccessAttributes, problem: string] {
  const { resourceAttributes: resource, nonResourceAttributes } = spec;
  if (resource === undefined) {
    const { path = "", verb = "" } = nonResourceAttributes ?? {};
    return [{ type: "path", user, verb, path }, ""];
  }
  const { verb = "", group = "", version = "*", resource: name = "", subresource = "" } = resource;
  const [selectors, problem] = parsedSelectors(resource);
  const target = { namespace: resource.namespace ?? "", name: resource.name ?? "" };
  return [
    { type: "resource", user, verb, group, version, resource: name, subresource, ...target, ...selectors },
    problem,
  ];
}
