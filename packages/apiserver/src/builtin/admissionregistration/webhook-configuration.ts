/** ValidatingWebhookConfiguration and MutatingWebhookConfiguration: which webhooks are called for which requests. */
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { checkDns1035Label, checkDns1123Subdomain, fieldErrors, isDeepEqual, type FieldError } from "@capstan/model";
import { checkMetadata } from "../../metadata/check.ts";
import type { Draft } from "../draft.ts";
import { checkOneOf, invalidEach, isEmpty } from "../meta/checks.ts";
import { bumpGenerationExactly, startGeneration } from "../meta/generation.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { checkLabelSelector } from "../selector/label-selector.ts";
import { ageOf } from "../table/cells.ts";
import { checkClientConfig } from "./client-config.ts";
import { checkMatchConditions, expressionEnv } from "./expressions.ts";
import { checkRule, defaultRule } from "./rules-check.ts";
import { occursBefore } from "../occurs-before.ts";

type Hook = ValidatingWebhook | MutatingWebhook;
type Configuration = ValidatingWebhookConfiguration | MutatingWebhookConfiguration;

const reviewVersions = ["v1", "v1beta1"];
const harmless = ["None", "NoneOnDryRun"];

export const validatingWebhookConfiguration: KindRules<ValidatingWebhookConfiguration> =
  defineRules<ValidatingWebhookConfiguration>(configurationRules());

/** Mutating webhooks also have a reinvocation policy. */
export const mutatingWebhookConfiguration: KindRules<MutatingWebhookConfiguration> =
  defineRules<MutatingWebhookConfiguration>({
    ...configurationRules(),
    defaults({ webhooks = [] }) {
      for (const hook of webhooks) {
        defaultHook(hook);
        hook.reinvocationPolicy ??= "Never";
      }
    },
  });

function configurationRules<T extends Configuration>(): KindRules<T> {
  return {
    validatesMetadata: true,
    unconditionalUpdate: false,
    defaults(draft) {
      for (const hook of (draft as Draft<Configuration>).webhooks ?? []) defaultHook(hook);
    },
    prepareForCreate: (draft) => startGeneration(draft as Draft<Configuration>),
    prepareForUpdate: (draft, old) => bumpGenerationExactly(draft as Draft<Configuration>, old, "webhooks"),
    validateCreate: (object) => checkConfiguration(object, strict),
    validateUpdate: (object, old) =>
      checkConfiguration(object, leniencyAfter(object.webhooks ?? [], old.webhooks ?? [])),
    warnings: ({ metadata }) => staticNameWarnings(metadata.name),
    table: {
      row: (object, now) => ({
        cells: [object.metadata.name, (object.webhooks ?? []).length, ageOf(object, now)],
      }),
    },
  };
}

/** Warns about names that are reserved for configurations in static files. */
export function staticNameWarnings(name: string): string[] {
  if (!name.endsWith(".static.k8s.io")) return [];
  return [
    'metadata.name: names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API',
  ];
}

function defaultHook(hook: Draft<Hook>): void {
  hook.failurePolicy ??= "Fail";
  hook.matchPolicy ??= "Equivalent";
  hook.namespaceSelector ??= {};
  hook.objectSelector ??= {};
  hook.timeoutSeconds ??= 10;
  for (const rule of hook.rules ?? []) defaultRule(rule);
  if (hook.clientConfig.service) hook.clientConfig.service.port ??= 443;
}

/** Which checks apply. An update skips those that the stored object already fails. */
interface Strictness {
  readonly checksConditions: boolean;
  readonly wantsHarmless: boolean;
  readonly wantsKnownVersion: boolean;
  readonly wantsUniqueNames: boolean;
  readonly invalidValues: boolean;
}

const strict: Strictness = {
  checksConditions: true,
  wantsHarmless: true,
  wantsKnownVersion: true,
  wantsUniqueNames: true,
  invalidValues: false,
};

function leniencyAfter(hooks: readonly Hook[], old: readonly Hook[]): Strictness {
  const isSame =
    hooks.length === old.length &&
    old.every(({ matchConditions }, index) => isDeepEqual(matchConditions, hooks[index]?.matchConditions));
  return {
    checksConditions: !isSame,
    wantsHarmless: old.every(({ sideEffects }) => harmless.includes(sideEffects)),
    wantsKnownVersion: old.every(({ admissionReviewVersions: versions }) => knowsVersion(versions ?? [])),
    wantsUniqueNames: new Set(old.map(({ name }) => name)).size === old.length,
    invalidValues: old.some(
      ({ namespaceSelector, objectSelector }) =>
        checkLabelSelector(namespaceSelector, "").length + checkLabelSelector(objectSelector, "").length > 0,
    ),
  };
}

function knowsVersion(versions: readonly string[]): boolean {
  return versions.length === 0 || versions.some((version) => reviewVersions.includes(version));
}

function checkConfiguration(object: Configuration, strictness: Strictness): FieldError[] {
  const hooks: readonly Hook[] = object.webhooks ?? [];
  const names = hooks.map(({ name }) => name);
  return [
    ...checkMetadata(object.metadata, false, "dns-subdomain"),
    ...hooks.flatMap((hook, index) => {
      const path = `webhooks[${index}]`;
      const isTwice = strictness.wantsUniqueNames && !isEmpty(hook.name) && occursBefore(names, index);
      return [
        ...checkHook(hook, path, strictness),
        ...checkVersions(hook.admissionReviewVersions ?? [], `${path}.admissionReviewVersions`, strictness),
        ...(isTwice ? [fieldErrors.duplicate(`${path}.name`, hook.name)] : []),
      ];
    }),
  ];
}

function checkHook(hook: Hook, path: string, strictness: Strictness): FieldError[] {
  const { invalidValues, checksConditions } = strictness;
  return [
    ...checkFullName(hook.name, `${path}.name`),
    ...(hook.rules ?? []).flatMap((rule, index) => checkRule(rule, `${path}.rules[${index}]`)),
    ...checkOneOf(hook.failurePolicy, `${path}.failurePolicy`, ["Fail", "Ignore"]),
    ...checkOneOf(hook.matchPolicy, `${path}.matchPolicy`, ["Equivalent", "Exact"]),
    ...checkSideEffects(hook.sideEffects, `${path}.sideEffects`, strictness),
    ...checkTimeout(hook.timeoutSeconds, `${path}.timeoutSeconds`),
    ...checkLabelSelector(hook.namespaceSelector, `${path}.namespaceSelector`, { invalidValues }),
    ...checkLabelSelector(hook.objectSelector, `${path}.objectSelector`, { invalidValues }),
    ...("reinvocationPolicy" in hook
      ? checkOneOf(hook.reinvocationPolicy, `${path}.reinvocationPolicy`, ["IfNeeded", "Never"])
      : []),
    ...checkClientConfig(hook.clientConfig, `${path}.clientConfig`),
    ...(checksConditions
      ? checkMatchConditions(hook.matchConditions ?? [], `${path}.matchConditions`, expressionEnv(false))
      : []),
  ];
}

/** Requires a fully qualified name of at least three segments. */
function checkFullName(name: string, path: string): FieldError[] {
  if (isEmpty(name)) return [fieldErrors.required(path)];
  const problems = checkDns1123Subdomain(name);
  if (problems.length > 0) return [fieldErrors.invalid(path, name, problems.join(","))];
  if (name.split(".").length >= 3) return [];
  return [fieldErrors.invalid(path, name, "should be a domain with at least three segments separated by dots")];
}

function checkSideEffects(effects: string | undefined, path: string, { wantsHarmless }: Strictness): FieldError[] {
  const allowed = wantsHarmless ? harmless : [...harmless, "Some", "Unknown"];
  if (effects === undefined || effects === null) {
    return [fieldErrors.required(path, `must specify one of ${allowed.join(", ")}`)];
  }
  return checkOneOf(effects, path, allowed);
}

const maxTimeout = 30;

function checkTimeout(seconds: number | undefined, path: string): FieldError[] {
  if (seconds === undefined || (seconds >= 1 && seconds <= maxTimeout)) return [];
  return [fieldErrors.invalid(path, seconds, "the timeout value must be between 1 and 30 seconds")];
}

function checkVersions(versions: readonly string[], path: string, { wantsKnownVersion }: Strictness): FieldError[] {
  const known = reviewVersions.join(", ");
  if (versions.length === 0) return [fieldErrors.required(path, `must specify one of ${known}`)];
  const isUnknown = wantsKnownVersion && !knowsVersion(versions);
  return [
    ...versions.flatMap((version, index) =>
      occursBefore(versions, index)
        ? [fieldErrors.invalid(`${path}[${index}]`, version, "duplicate version")]
        : invalidEach(`${path}[${index}]`, version, checkDns1035Label(version)),
    ),
    ...(isUnknown ? [fieldErrors.invalid(path, versions, `must include at least one of ${known}`)] : []),
  ];
}
