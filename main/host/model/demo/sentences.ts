/** A sentence that the demo model completes. `{folder}` stands for a folder that the Files server may use. */
export interface DemoSentence {
  language: 'en' | 'zh';
  sentence: string;
  /** The bundled server and its tool that the sentence leads to. */
  server: 'files' | 'memory' | 'everything';
  tool: string;
}

/** The twelve sentences of docs/demo.md, in an order in which each finds what it needs: a text is written before it is read. */
export const demoSentences: readonly DemoSentence[] = [
  { language: 'en', sentence: 'list the files in {folder}', server: 'files', tool: 'list_directory' },
  { language: 'en', sentence: 'write "hello" to {folder}/hello.txt', server: 'files', tool: 'write_file' },
  { language: 'en', sentence: 'read {folder}/hello.txt', server: 'files', tool: 'read_text_file' },
  { language: 'en', sentence: 'search for notes in {folder}', server: 'files', tool: 'search_files' },
  { language: 'en', sentence: 'remember that Ada likes tea', server: 'memory', tool: 'create_entities' },
  { language: 'en', sentence: 'what do you remember about Ada?', server: 'memory', tool: 'search_nodes' },
  { language: 'zh', sentence: '列出 {folder} 里的文件', server: 'files', tool: 'list_directory' },
  { language: 'zh', sentence: '把“你好”写入 {folder}/问候.txt', server: 'files', tool: 'write_file' },
  { language: 'zh', sentence: '读取 {folder}/问候.txt', server: 'files', tool: 'read_text_file' },
  { language: 'zh', sentence: '记住小明喜欢喝茶', server: 'memory', tool: 'create_entities' },
  { language: 'zh', sentence: '你还记得关于小明的什么？', server: 'memory', tool: 'search_nodes' },
  { language: 'zh', sentence: '计算 2 加 3', server: 'everything', tool: 'get-sum' },
];
