/** Names the files of a bundle that cannot be parsed. The usual validators skip them and miss their contents. */
import type { BundleFiles } from "@capstan/bundle";
import { toCliError } from "../errors.ts";
import { findYamlProblem, readYaml } from "../project/yaml.ts";

/** Returns one line for each manifest that is not valid YAML (for example truncated) or has too many aliases. */
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
