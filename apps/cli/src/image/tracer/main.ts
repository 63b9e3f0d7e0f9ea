/** The process that loads a program and reports the loaded files. It runs the imports instead of parsing them. */
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const [entry = ""] = process.argv.slice(2);
const loaded = new Set<string>();

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (resolved.url.startsWith("file:")) loaded.add(resolved.url);
    return resolved;
  },
});

try {
  await import(pathToFileURL(entry).href);
  process.send?.({ files: [...loaded].sort() });
} catch (error) {
  process.send?.({ why: error instanceof Error ? error.message : String(error) });
}
process.disconnect();
