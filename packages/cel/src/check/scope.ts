/** Which names an expression can see: variables, functions, types, and the locals of comprehensions. */

import type { Type } from "../type.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  LIST,
  MAP,
  NULL,
  OPTIONAL,
  STRING,
  TIMESTAMP,
  TYPE,
  typeOf,
  UINT,
} from "../type.ts";
import type { FunctionDeclaration, TypeProvider } from "./declarations.ts";

/** Everything that is declared. */
export interface Declarations {
  readonly container: string;
  readonly variables: ReadonlyMap<string, Type>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly types: readonly TypeProvider[];
  readonly constants: ReadonlyMap<string, bigint>;
}

/** The types that every environment knows by name. */
const NAMED_TYPES: ReadonlyMap<string, Type> = new Map(
  [BOOL, BYTES, DOUBLE, DURATION, INT, LIST, MAP, NULL, STRING, TIMESTAMP, TYPE, UINT, OPTIONAL].map((type) => [
    type.name,
    type,
  ]),
);

/** The names that `name` may mean, innermost container first. */
export function candidateNames(container: string, name: string): readonly string[] {
  if (name.startsWith(".")) return [name.slice(1)];
  if (container === "") return [name];
  const names: string[] = [];
  for (let prefix = container; prefix !== ""; prefix = prefix.slice(0, Math.max(prefix.lastIndexOf("."), 0))) {
    names.push(`${prefix}.${name}`);
  }
  return [...names, name];
}

/** The resolution of a name. */
export interface FoundIdent {
  readonly name: string;
  readonly type: Type;
}

/** A stack of local names over the declarations. */
export class Scope {
  private readonly declarations: Declarations;
  private readonly locals: Map<string, Type>[] = [];

  constructor(declarations: Declarations) {
    this.declarations = declarations;
  }

  get container(): string {
    return this.declarations.container;
  }

  /** Runs `body` with more names in sight. */
  within<T>(names: ReadonlyMap<string, Type>, body: () => T): T {
    this.locals.push(new Map(names));
    const result = body();
    this.locals.pop();
    return result;
  }

  findIdent(name: string): FoundIdent | undefined {
    for (const candidate of candidateNames(this.container, name)) {
      const type = this.local(candidate) ?? this.declarations.variables.get(candidate) ?? this.typeNamed(candidate);
      if (type) return { name: candidate, type };
      if (this.declarations.constants.has(candidate)) return { name: candidate, type: INT };
    }
    return undefined;
  }

  findFunction(name: string): FunctionDeclaration | undefined {
    for (const candidate of candidateNames(this.container, name)) {
      const found = this.declarations.functions.get(candidate);
      if (found) return found;
    }
    return undefined;
  }

  findField(typeName: string, field: string): Type | undefined {
    for (const provider of this.declarations.types) {
      const type = provider.findField(typeName, field);
      if (type) return type;
    }
    return undefined;
  }

  hasType(typeName: string): boolean {
    return this.declarations.types.some((provider) => provider.findType(typeName));
  }

  private local(name: string): Type | undefined {
    for (let index = this.locals.length - 1; index >= 0; index--) {
      const type = this.locals[index]?.get(name);
      if (type) return type;
    }
    return undefined;
  }

  private typeNamed(name: string): Type | undefined {
    for (const provider of this.declarations.types) {
      const type = provider.findType(name);
      if (type) return typeOf(type);
    }
    const type = typeByName(name);
    return type && typeOf(type);
  }
}

/** A type of the language by its name. */
export function typeByName(name: string): Type | undefined {
  return NAMED_TYPES.get(name);
}
