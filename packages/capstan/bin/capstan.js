#!/usr/bin/env node
// The one name that people know, `npx capstan`, starts the command of the package beside this one.
await import("@capstan/cli");
