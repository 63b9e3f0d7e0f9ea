/** Secret: small confidential data; some types have required keys. */
import { Buffer } from "node:buffer";
import type { Secret } from "@capstan/kinds/v1";
import { checkConfigMapKey, fieldErrors, type FieldError } from "@capstan/model";
import { JsonSyntaxError, parseJson } from "../../decode/json-text.ts";
import type { Draft } from "../draft.ts";
import { checkSamePointer, invalidEach, isEmpty } from "../meta/checks.ts";
import { checkNamespaced } from "../meta/metadata.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { ageOf } from "../table/cells.ts";
import { base64Length, maxDataSize } from "./data-size.ts";
import { complaintAboutPair } from "./tls-pair.ts";
import { isSameField } from "../given-empty.ts";

export const secretRules: KindRules<Secret> = defineRules<Secret>({
  defaults(draft) {
    if (isEmpty(draft.type)) draft.type = "Opaque";
    moveStringData(draft);
  },
  validateCreate: (secret) => [...checkData(secret), ...checkForm(secret)],
  validateUpdate: (secret, old) => [
    ...checkSamePointer(secret.type, old.type, "type"),
    ...checkImmutable(secret, old),
    ...checkNamespaced(secret),
    ...checkData(secret),
    ...checkForm(secret),
  ],
  warnings: ({ type, data = {} }) => {
    if (type !== "kubernetes.io/tls") return [];
    const why = complaintAboutPair(decode(data["tls.crt"]), decode(data["tls.key"]));
    return why === undefined ? [] : [why];
  },
  fields: { type: ({ type = "" }) => type },
  table: {
    row: (secret, now) => ({
      cells: [secret.metadata.name ?? "", secret.type ?? "", Object.keys(secret.data ?? {}).length, ageOf(secret, now)],
    }),
  },
});

/** Moves stringData, which is write-only, into data. */
function moveStringData(draft: Draft<Secret>): void {
  const { stringData } = draft;
  if (stringData === undefined) return;
  delete draft.stringData;
  for (const [key, text] of Object.entries(stringData)) {
    draft.data ??= {};
    draft.data[key] = Buffer.from(text, "utf8").toString("base64");
  }
}

function decode(base64: string | undefined): string {
  return Buffer.from(base64 ?? "", "base64").toString("latin1");
}

function checkData({ data = {} }: Secret): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.push(...invalidEach(`data[${key}]`, key, checkConfigMapKey(key)));
    size += base64Length(value);
  }
  return size > maxDataSize ? [...errors, fieldErrors.tooLong("data", maxDataSize)] : errors;
}

const accountName = "kubernetes.io/service-account.name";

/** Secrets of known types must have the keys that their readers need. */
function checkForm({ type, data = {}, metadata }: Secret): FieldError[] {
  const missing = (...keys: readonly string[]): FieldError[] =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => fieldErrors.required(`data[${key}]`));
  switch (type) {
    case "kubernetes.io/service-account-token":
      if (!isEmpty(metadata.annotations?.[accountName])) return [];
      return [fieldErrors.required(`metadata.annotations[${accountName}]`)];
    case "kubernetes.io/dockercfg":
      return checkJsonObject(data, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return checkJsonObject(data, ".dockerconfigjson");
    case "kubernetes.io/basic-auth":
      return "username" in data || "password" in data ? [] : missing("username", "password");
    case "kubernetes.io/ssh-auth":
      return isEmpty(data["ssh-privatekey"]) ? [fieldErrors.required("data[ssh-privatekey]")] : [];
    case "kubernetes.io/tls":
      return missing("tls.crt", "tls.key");
    default:
      return [];
  }
}

function checkJsonObject(data: NonNullable<Secret["data"]>, key: string): FieldError[] {
  const path = `data[${key}]`;
  const value = data[key];
  if (value === undefined) return [fieldErrors.required(path)];
  const why = complaintAboutJson(Buffer.from(value, "base64").toString("utf8"));
  return why === undefined ? [] : [fieldErrors.invalid(path, "<secret contents redacted>", why)];
}

function complaintAboutJson(text: string): string | undefined {
  try {
    const value = parseJson(text);
    if (value === null || (typeof value === "object" && !Array.isArray(value))) return undefined;
    const found = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    return `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
}

function checkImmutable(secret: Secret, old: Secret): FieldError[] {
  if (old.immutable !== true) return [];
  const why = "field is immutable when `immutable` is set";
  return [
    ...(secret.immutable === true ? [] : [fieldErrors.forbidden("immutable", why)]),
    ...(isSameField(secret, old, "data") ? [] : [fieldErrors.forbidden("data", why)]),
  ];
}
