import type { ToolProfile } from '../toolProfile.ts';
import { accountContent, anything, asks, each, publicContent, reads } from './effects.ts';
import type { Listing } from './listing.ts';

/** What is clicked or typed into a page goes to whoever runs the page. */
const acts: ToolProfile = { effects: ['changes', 'sendsOut'] };
const goes = asks('/url');
/** With `filename` it writes a file. */
const looksOrWrites: ToolProfile = { effects: ['reads', 'changes'], paths: ['/filename'] };

const question = asks('/query');

/** Servers that read the web, by themselves or with a browser. */
export const webProfiles: readonly Listing[] = [
  {
    // Read from src/fetch of github.com/modelcontextprotocol/servers at 2026.7.10; the code is the same since 2026.6.3.
    pypi: 'mcp-server-fetch',
    images: ['mcp/fetch'],
    versions: ['2026.6.3', '2026.7.10'],
    profile: { results: publicContent, tools: { fetch: asks('/url') } },
  },
  {
    npm: '@modelcontextprotocol/server-brave-search',
    images: ['mcp/brave-search'],
    versions: ['0.6.2', '0.6.2'],
    profile: { results: publicContent, tools: { brave_web_search: question, brave_local_search: question } },
  },
  {
    // Read from its tools/list.
    npm: '@brave/brave-search-mcp-server',
    versions: ['2.1.4', '2.1.4'],
    profile: {
      results: publicContent,
      tools: {
        ...each(
          question,
          `brave_web_search brave_local_search brave_video_search brave_image_search brave_news_search brave_llm_context brave_place_search`,
        ),
        brave_summarizer: asks('/key'),
      },
    },
  },
  {
    // Its browser starts without an account, and can be led into one.
    npm: '@modelcontextprotocol/server-puppeteer',
    images: ['mcp/puppeteer'],
    versions: ['2025.5.12', '2025.5.12'],
    profile: {
      results: accountContent,
      tools: {
        puppeteer_navigate: goes,
        puppeteer_screenshot: reads,
        ...each(acts, 'puppeteer_click puppeteer_fill puppeteer_select puppeteer_hover'),
        puppeteer_evaluate: anything,
      },
    },
  },
  {
    // Read from its tools/list, without further capabilities. Its browser keeps a profile, and so the accounts of the person.
    npm: '@playwright/mcp',
    images: ['mcr.microsoft.com/playwright/mcp', 'mcp/playwright'],
    versions: ['0.0.83', '0.0.83'],
    profile: {
      results: accountContent,
      tools: {
        browser_navigate: goes,
        // With an address it opens it.
        browser_tabs: { effects: ['reads', 'changes', 'sendsOut'], destinations: ['/url'] },
        ...each(reads, 'browser_wait_for browser_resize browser_emulate_media'),
        ...each(
          looksOrWrites,
          'browser_console_messages browser_find browser_network_requests browser_network_request browser_take_screenshot browser_snapshot',
        ),
        ...each(
          acts,
          `browser_click browser_drag browser_hover browser_select_option browser_type browser_press_key browser_fill_form browser_handle_dialog
           browser_navigate_back`,
        ),
        browser_close: { effects: ['changes'] },
        browser_file_upload: { effects: ['sendsOut'], paths: ['/paths/*'] },
        browser_drop: { effects: ['changes', 'sendsOut'], paths: ['/paths/*'] },
        browser_evaluate: { ...anything, paths: ['/filename'] },
        browser_run_code_unsafe: { ...anything, paths: ['/filename'] },
      },
    },
  },
  {
    // Read from its tools/list; the same runs at the host. Both arguments go to its service.
    npm: '@upstash/context7-mcp',
    images: ['mcp/context7'],
    hosts: ['mcp.context7.com'],
    versions: ['4.1.1', '4.1.1'],
    profile: {
      results: publicContent,
      tools: { 'resolve-library-id': asks('/query', '/libraryName'), 'query-docs': asks('/query', '/libraryId') },
    },
  },
];
