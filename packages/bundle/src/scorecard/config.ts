/** Reads the scorecard's configuration. */
import type { Json } from "@capstan/model";
import { isObject, type JsonObject } from "../decode/json.ts";
import { parseYaml } from "../decode/yaml.ts";
import { BundleError } from "../errors.ts";
import type { ScorecardConfig, Stage, TestConfig } from "./documents.ts";

/** Where a bundle has its configuration, unless its annotations say otherwise. */
export const defaultConfigPath = "tests/scorecard/config.yaml";

/** Reads a configuration. */
export function parseScorecardConfig(text: string): ScorecardConfig {
  const parsed = parseYaml(text);
  if (!parsed.ok) throw bad(`it is no YAML: ${parsed.problem}`);
  const root = parsed.value;
  if (!isObject(root)) throw bad("it is no object");
  const apiVersion = textOf(root["apiVersion"], "apiVersion");
  if (apiVersion !== undefined && apiVersion !== "scorecard.operatorframework.io/v1alpha3")
    throw bad(`its apiVersion is ${apiVersion}, and scorecard.operatorframework.io/v1alpha3 is known`);
  return {
    stages: listOf(root["stages"], "stages").map(toStage),
    serviceAccount: textOf(root["serviceaccount"], "serviceaccount"),
    storagePath: storageOf(root),
  };
}

function toStage(value: Json, at: number): Stage {
  const place = `stages[${at}]`;
  if (!isObject(value)) throw bad(`${place} is no object`);
  const parallel = value["parallel"] ?? false;
  if (typeof parallel !== "boolean") throw bad(`${place}.parallel is neither true nor false`);
  return {
    parallel,
    tests: listOf(value["tests"], `${place}.tests`).map((test, i) => toTest(test, `${place}.tests[${i}]`)),
  };
}

function toTest(value: Json, place: string): TestConfig {
  if (!isObject(value)) throw bad(`${place} is no object`);
  const labels = value["labels"] ?? {};
  if (!isObject(labels)) throw bad(`${place}.labels is no object`);
  const uniqueID = textOf(value["uniqueID"], `${place}.uniqueID`);
  const storagePath = storageOf(value);
  return {
    image: textOf(value["image"], `${place}.image`) ?? "",
    entrypoint: listOf(value["entrypoint"], `${place}.entrypoint`).map(
      (word, i) => textOf(word, `${place}.entrypoint[${i}]`) ?? "",
    ),
    labels: Object.fromEntries(
      Object.entries(labels).map(([key, one]) => [key, textOf(one, `${place}.labels.${key}`) ?? ""]),
    ),
    ...(uniqueID === undefined ? {} : { uniqueID }),
    ...(storagePath === undefined ? {} : { storagePath }),
  };
}

function storageOf(value: JsonObject): string | undefined {
  let found: Json | undefined = value["storage"];
  for (const name of ["spec", "mountPath", "path"]) found = isObject(found) ? found[name] : undefined;
  return typeof found === "string" && found !== "" ? found : undefined;
}

function listOf(value: Json | undefined, place: string): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw bad(`${place} is no list`);
  return value as readonly Json[];
}

/** YAML's numbers and truths are taken as they are written. */
function textOf(value: Json | undefined, place: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "object") throw bad(`${place} is no text`);
  return String(value);
}

function bad(why: string): BundleError {
  return new BundleError("BadConfig", `the scorecard's configuration cannot be used: ${why}`);
}
