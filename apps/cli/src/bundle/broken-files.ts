/** Names the files of a bundle that cannot be read: the usual validators pass over them and miss what was in them. */
import type { BundleFiles } from "@capstan/bundle";
import { toCliError } from "../errors.ts";
import { findYamlProblem, readYaml } from "../project/yaml.ts";

/** One line for each manifest that is no YAML, as when it was cut short, or whose aliases unfold without measure. */
export function brokenFiles(files: BundleFiles): string[] {
  return [...files].flatMap(([path, bytes]) => {
    if (!/\.(ya?ml|json)$/.test(path)) return [];
    const text = new TextDecoder().decode(bytes);
    const problem = findYamlProblem(text);
    if (problem !== undefined) return [`${path} cannot be read, it may have been cut short: ${problem}`];
    return text.includes("*") ? unfolding(text, path) : [];
  });
}

function unfolding(text: string, path: string): string[] {
  try {
    readYaml(text, path);
    return [];
  } catch (error) {
    return [toCliError(error).message];
  }
}
