import { expect, test } from 'vitest';
import { checkAddress, checkUrl, isLoopbackHost, isNearHost, isUnencrypted, typedHostOf } from '../../../main/host/net/addressPolicy.ts';

const publicServer = typedHostOf('https://mcp.example.com/mcp');
const localServer = typedHostOf('http://localhost:3000/mcp');
const intranetServer = typedHostOf('https://10.1.2.3/mcp');
const intranetName = typedHostOf('https://wiki.corp/mcp');

// S10, S11, S14: which addresses a public server may name. Every spelling of a number means the same machine.
test.each([
  ['https://auth.example.com/', true],
  ['https://93.184.216.34/', true],
  ['https://[2606:4700::1111]/', true],
  ['http://auth.example.com/', false],
  ['https://user:pass@auth.example.com/', false],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['file:///etc/passwd', false],
  ['vbscript:x', false],
  ['ms-settings:network', false],
  ['https://127.0.0.1/', false],
  ['https://localhost/', false],
  ['https://localhost./', false],
  ['https://a.localhost/', false],
  ['https://[::1]/', false],
  ['https://0.0.0.0/', false],
  ['https://10.0.0.1/', false],
  ['https://172.16.0.1/', false],
  ['https://192.168.1.1/', false],
  ['https://100.64.0.1/', false],
  ['https://169.254.169.254/', false],
  ['https://2852039166/', false],
  ['https://0xA9FEA9FE/', false],
  ['https://0251.0376.0251.0376/', false],
  ['https://169.254.43518/', false],
  ['https://[::ffff:169.254.169.254]/', false],
  ['https://[::ffff:a9fe:a9fe]/', false],
  ['https://[64:ff9b::a9fe:a9fe]/', false],
  ['https://[64:ff9b::5db8:d822]/', true],
  ['https://[64:ff9b:1::a9fe:a9fe]/', false],
  ['https://[::a9fe:a9fe]/', false],
  ['https://[fec0::1]/', false],
  ['https://[4000::1]/', false],
  ['https://[2002:a9fe:a9fe::1]/', false],
  ['https://[fd00::1]/', false],
  ['https://[fe80::1]/', false],
  ['https://017700000001/', false],
])('a public server that names %s is followed: %s', (address, followed) => {
  expect(checkUrl(new URL(address), publicServer).ok).toBe(followed);
});

test('a server on this computer may name other ports of it, without encryption, and nothing else that is private', () => {
  expect(checkUrl(new URL('http://127.0.0.1:9999/'), localServer).ok).toBe(true);
  expect(checkUrl(new URL('http://localhost:9999/'), localServer).ok).toBe(true);
  expect(checkUrl(new URL('https://auth.example.com/'), localServer).ok).toBe(true);
  expect(checkUrl(new URL('http://auth.example.com/'), localServer).ok).toBe(false);
  expect(checkUrl(new URL('https://192.168.1.1/'), localServer).ok).toBe(false);
  expect(checkUrl(new URL('https://169.254.169.254/'), localServer).ok).toBe(false);
});

test('the address that the person typed is reached wherever it lies, its neighbours are not', () => {
  expect(checkUrl(new URL('https://10.1.2.3:8443/.well-known/x'), intranetServer).ok).toBe(true);
  expect(checkUrl(new URL('https://10.1.2.4/'), intranetServer).ok).toBe(false);
  expect(checkAddress('10.9.9.9', 'wiki.corp', intranetName).ok).toBe(true);
  expect(checkAddress('10.9.9.9', 'WIKI.corp.', intranetName).ok).toBe(true);
  expect(checkAddress('10.9.9.9', 'other.corp', intranetName).ok).toBe(false);
});

test('a typed name that leads to the metadata service of a cloud is not followed there (S13)', () => {
  expect(checkAddress('169.254.169.254', 'wiki.corp', intranetName).ok).toBe(false);
  expect(checkAddress('::ffff:169.254.169.254', 'wiki.corp', intranetName).ok).toBe(false);
});

test.each([
  ['https://example.com/', false],
  ['http://example.com/', true],
  ['http://127.0.0.1:1/', false],
  ['http://127.8.8.8/', false],
  ['http://[::1]:1/', false],
  ['http://localhost:1/', false],
  ['http://localhost.example.com/', true],
  ['http://10.0.0.1/', true],
  ['nonsense', true],
])('%s is readable on the way: %s', (address, unencrypted) => {
  expect(isUnencrypted(address)).toBe(unencrypted);
});

test.each([
  ['http://localhost:8080/', true],
  ['http://127.0.0.1/', true],
  ['http://0x7f.1/', true],
  ['http://[::1]/', true],
  ['http://192.168.1.1/', true],
  ['http://10.0.0.8/', true],
  ['http://[fd00::1]/', true],
  ['http://169.254.169.254/', true],
  ['http://printer/', true],
  ['http://nas.local./', true],
  ['https://router.home.arpa/', true],
  ['https://example.com/', false],
  ['https://local.example.com/', false],
  ['https://8.8.8.8/', false],
  ['https://[2606:4700::1111]/', false],
])('%s lies near: %s', (address, near) => {
  expect(isNearHost(new URL(address).hostname)).toBe(near);
});

test('a name that only begins like this computer is another one', () => {
  expect(isLoopbackHost('localhost.evil.example')).toBe(false);
  expect(isLoopbackHost('127.0.0.1.evil.example')).toBe(false);
});
