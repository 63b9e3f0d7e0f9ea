/** Names the files of a bundle that cannot be read: the usual validators pass over them and miss what was in them. */
import type { BundleFiles } from "@capstan/bundle";
import { findYamlProblem } from "../project/yaml.ts";

/** One line for each manifest that is no YAML, as when it was cut short. */
export function brokenFiles(files: BundleFiles): string[] {
  return [...files].flatMap(([path, bytes]) => {
    if (!/\.(ya?ml|json)$/.test(path)) return [];
    const problem = findYamlProblem(new TextDecoder().decode(bytes));
    return problem === undefined ? [] : [`${path} cannot be read, it may have been cut short: ${problem}`];
  });
}
