/** Verbs that tools are named with. */
export const chineseVerbs: Readonly<Record<string, string>> = {
  ...{ add: '添加', analyze: '分析', append: '追加', ask: '询问', browse: '浏览', calculate: '计算', check: '检查', close: '关闭' },
  ...{ compare: '比较', convert: '转换', copy: '复制', count: '统计', create: '创建', delete: '删除', describe: '描述', download: '下载' },
  ...{ edit: '编辑', execute: '执行', fetch: '获取', find: '查找', get: '获取', insert: '插入', list: '列出', load: '加载', merge: '合并' },
  ...{ move: '移动', open: '打开', post: '发布', query: '查询', read: '读取', remove: '移除', rename: '重命名', run: '运行', save: '保存' },
  ...{ search: '搜索', send: '发送', set: '设置', show: '显示', start: '启动', stop: '停止', summarize: '总结', translate: '翻译' },
  ...{ update: '更新', upload: '上传', write: '写入' },
};

/** What stands behind the verb. One after the other they make a word, as in `text file`: 文本文件. */
export const chineseNouns: Readonly<Record<string, string>> = {
  ...{ file: '文件', files: '文件', text: '文本', media: '媒体', image: '图片', images: '图片', multiple: '多个', info: '信息' },
  ...{
    directory: '目录',
    directories: '目录',
    folder: '文件夹',
    folders: '文件夹',
    tree: '树',
    allowed: '允许的',
    with: '及',
    sizes: '大小',
  },
  ...{ graph: '图谱', node: '节点', nodes: '节点', entity: '实体', entities: '实体', relation: '关系', relations: '关系' },
  ...{ observation: '观察', observations: '观察', issue: '议题', issues: '议题', page: '页面', pages: '页面', table: '表', tables: '表' },
  ...{ email: '邮件', emails: '邮件', mail: '邮件', message: '消息', messages: '消息', latest: '最新', new: '新', all: '全部' },
  ...{ event: '日程', events: '日程', note: '笔记', notes: '笔记', resource: '资源', resources: '资源', user: '用户', users: '用户' },
  ...{ document: '文档', documents: '文档', archive: '归档', comment: '评论', comments: '评论', branch: '分支', repository: '仓库' },
};
