import type { LanguageRegistration } from 'shiki/core';

type Load = () => Promise<{ default: LanguageRegistration[] }>;

const bash: Load = () => import('shiki/langs/bash.mjs');
const c: Load = () => import('shiki/langs/c.mjs');
const cpp: Load = () => import('shiki/langs/cpp.mjs');
const csharp: Load = () => import('shiki/langs/csharp.mjs');
const css: Load = () => import('shiki/langs/css.mjs');
const diff: Load = () => import('shiki/langs/diff.mjs');
const docker: Load = () => import('shiki/langs/docker.mjs');
const go: Load = () => import('shiki/langs/go.mjs');
const html: Load = () => import('shiki/langs/html.mjs');
const ini: Load = () => import('shiki/langs/ini.mjs');
const java: Load = () => import('shiki/langs/java.mjs');
const javascript: Load = () => import('shiki/langs/javascript.mjs');
const json: Load = () => import('shiki/langs/json.mjs');
const jsx: Load = () => import('shiki/langs/jsx.mjs');
const kotlin: Load = () => import('shiki/langs/kotlin.mjs');
const lua: Load = () => import('shiki/langs/lua.mjs');
const make: Load = () => import('shiki/langs/make.mjs');
const markdown: Load = () => import('shiki/langs/markdown.mjs');
const php: Load = () => import('shiki/langs/php.mjs');
const powershell: Load = () => import('shiki/langs/powershell.mjs');
const python: Load = () => import('shiki/langs/python.mjs');
const ruby: Load = () => import('shiki/langs/ruby.mjs');
const rust: Load = () => import('shiki/langs/rust.mjs');
const sql: Load = () => import('shiki/langs/sql.mjs');
const swift: Load = () => import('shiki/langs/swift.mjs');
const toml: Load = () => import('shiki/langs/toml.mjs');
const tsx: Load = () => import('shiki/langs/tsx.mjs');
const typescript: Load = () => import('shiki/langs/typescript.mjs');
const xml: Load = () => import('shiki/langs/xml.mjs');
const yaml: Load = () => import('shiki/langs/yaml.mjs');

/** Grammars by the names that stand behind a fence. Each is a file of its own, loaded when it is first needed. */
export const grammars: Readonly<Record<string, Load>> = {
  ...{ bash, sh: bash, shell: bash, zsh: bash, console: bash, c, h: c, cpp, 'c++': cpp, cc: cpp, csharp, cs: csharp, 'c#': csharp, css },
  ...{ diff, patch: diff, docker, dockerfile: docker, go, golang: go, html, ini, java, javascript, js: javascript, mjs: javascript },
  ...{ json, jsonc: json, json5: json, jsx, kotlin, kt: kotlin, lua, make, makefile: make, markdown, md: markdown, php },
  ...{ powershell, ps1: powershell, python, py: python, ruby, rb: ruby, rust, rs: rust, sql, swift, toml, tsx },
  ...{ typescript, ts: typescript, mts: typescript, xml, svg: xml, yaml, yml: yaml },
};
